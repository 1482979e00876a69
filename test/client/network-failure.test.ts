import { describe, expect, it } from "vitest";
import { explainFailure } from "../../src/client/network-failure.ts";
import { RetryableError } from "../../src/client/retry.ts";

const ORIGIN = "https://a.test";

/** As `fetch` throws it. */
const fail = (code: string, members: object = {}, message = "what the system says") =>
  new TypeError("fetch failed", { cause: Object.assign(new Error(message), { code, ...members }) });

function explain(cause: unknown, proxies: (string | undefined)[] = []) {
  const failure = explainFailure(cause, ORIGIN, proxies);
  const passes = failure instanceof RetryableError;
  const { code, message, hint, cause: kept } = passes ? failure.error : failure;
  return { code, message, hint, passes, kept: kept === cause };
}

const checkNetwork = "Check the base URL, the network and HTTPS_PROXY.";
const checkProxy = "Check HTTPS_PROXY (its address, user and password), or add the host to NO_PROXY.";
const checkProxies = "Check HTTPS_PROXY and HTTP_PROXY, or add the service's host to NO_PROXY.";
const addAuthority =
  "If the service uses a private certificate authority, set NODE_EXTRA_CA_CERTS to its certificate file.";
const tryHttp = "Try http://a.test (plain http is only allowed for this machine), or check the port.";
const unknownAuthority = "its certificate comes from an authority that this machine does not trust";

describe("an error of fetch", () => {
  it("that comes before TLS suggests plain http", () => {
    const message = "Client network socket disconnected before secure TLS connection was established";
    expect(explain(fail("ECONNRESET", {}, message))).toMatchObject({
      message: `${ORIGIN} cannot be reached: the connection was cut before it was secure.`,
      hint: `Perhaps the server speaks plain http. ${tryHttp}`,
      passes: true,
    });
  });

  it.each<[string, string, boolean]>([
    ["ENOTFOUND", "the host name does not exist", false],
    ["EAI_AGAIN", "the host name cannot be resolved right now", true],
    ["ECONNREFUSED", "nothing is listening there", true],
    ["ECONNRESET", "the connection was cut", true],
    ["EHOSTUNREACH", "there is no route to it", true],
    ["ENETUNREACH", "there is no network", true],
    ["UND_ERR_SOCKET", "the connection was cut", true],
    ["UND_ERR_HEADERS_OVERFLOW", "its response headers are too long", true],
    ["ESOMETHING", "the connection failed", true],
    ["", "the connection failed", true],
  ])("%s: the service cannot be reached", (code, reason, passes) => {
    const message = `${ORIGIN} cannot be reached: ${reason}.`;
    const expected = { code: "unreachable", message, hint: checkNetwork, passes, kept: true };
    expect(explain(fail(code))).toEqual(expected);
  });

  it.each([
    ["UND_ERR_CONNECT_TIMEOUT", "did not accept a connection in time"],
    ["UND_ERR_HEADERS_TIMEOUT", "accepted the request and did not answer in time"],
    ["UND_ERR_BODY_TIMEOUT", "stopped in the middle of its answer"],
    ["ETIMEDOUT", "did not answer in time"],
  ])("%s: the service takes too long", (code, reason) => {
    const hint = "Check the base URL and the network, or try again later.";
    const message = `${ORIGIN} ${reason}.`;
    expect(explain(fail(code))).toEqual({ code: "timeout", message, hint, passes: true, kept: true });
  });

  it.each([
    ["CERT_HAS_EXPIRED", "its certificate has expired", addAuthority],
    ["DEPTH_ZERO_SELF_SIGNED_CERT", "its certificate is self-signed", addAuthority],
    ["SELF_SIGNED_CERT_IN_CHAIN", unknownAuthority, addAuthority],
    ["UNABLE_TO_VERIFY_LEAF_SIGNATURE", unknownAuthority, addAuthority],
    ["UNABLE_TO_GET_ISSUER_CERT_LOCALLY", unknownAuthority, addAuthority],
    ["ERR_TLS_CERT_ALTNAME_INVALID", "its certificate is for another host", addAuthority],
    ["CERT_NOT_YET_VALID", "CERT_NOT_YET_VALID", addAuthority],
    ["HOSTNAME_MISMATCH", "HOSTNAME_MISMATCH", addAuthority],
    ["EPROTO", "the server does not speak TLS", tryHttp],
    ["ERR_SSL_WRONG_VERSION_NUMBER", "the server does not speak TLS", tryHttp],
    ["ERR_SSL_PACKET_LENGTH_TOO_LONG", "the server does not speak TLS", tryHttp],
  ])("%s: there is no secure connection", (code, reason, hint) => {
    const message = `No secure connection to ${ORIGIN}: ${reason}.`;
    expect(explain(fail(code))).toEqual({ code: "tls", message, hint, passes: false, kept: true });
  });

  it.each(["Z_DATA_ERROR", "ERR__ERROR_FORMAT_PADDING_1", "ZSTD_error_prefix_unknown"])(
    "%s: what came is damaged",
    (code) => {
      const message = `The answer of ${ORIGIN} is damaged: it cannot be decompressed.`;
      const hint = "Try again later, or contact the service's operator.";
      expect(explain(fail(code))).toEqual({ code: "bad_answer", message, hint, passes: false, kept: true });
    },
  );

  it.each(["NO_CERT_", "NOT_Z_DATA_ERROR"])("%s only looks similar", (code) => {
    expect(explain(fail(code)).code).toBe("unreachable");
  });

  it("a parser's error is not kept as the cause, since it holds the received bytes", () => {
    const message = `${ORIGIN} cannot be reached: the server there does not speak HTTP.`;
    expect(explain(fail("HPE_INVALID_CONSTANT", { name: "HTTPParserError" }))).toEqual({
      code: "unreachable",
      message,
      hint: checkNetwork,
      passes: true,
      kept: false,
    });
  });

  it("the reason may be in the first of several errors, or in none", () => {
    const refused = Object.assign(new Error("no"), { code: "ECONNREFUSED" });
    const several = new TypeError("fetch failed", { cause: new AggregateError([refused, new Error("b")]) });
    expect(explain(several).message).toContain("nothing is listening there");
    expect(explain("what is no error").message).toContain("the connection failed");
    expect(explain(fail("ECONNREFUSED", { cause: { code: "ENOTFOUND" } })).message).toContain(
      "nothing is listening",
    );
    expect(explain(fail("", { code: 7 })).message).toContain("the connection failed");
  });
});

describe("a proxy", () => {
  const proxy = `http://${"user:word"}@proxy.test:3128`;
  it.each([
    ["UND_ERR_ABORTED", fail("UND_ERR_ABORTED")],
    ["a message of undici's", fail("UND_ERR_PRX_TLS", {}, "Proxy TLS failed")],
    ["a message without a code", fail("", {}, "Proxy response (407) !== 200 when HTTP Tunneling")],
  ])("that refuses is recognized by %s", (_, failure) => {
    const message = `The proxy refused to connect to ${ORIGIN}.`;
    expect(explain(failure)).toEqual({ code: "proxy", message, hint: checkProxy, passes: false, kept: true });
  });

  it("is not blamed if only the host's name contains the word", () => {
    expect(explain(fail("ENOTFOUND", {}, "getaddrinfo ENOTFOUND proxy.test")).code).toBe("unreachable");
  });

  it.each([
    ["its port", "ECONNREFUSED", { address: "192.0.2.1", port: 3128 }, proxy, "nothing is listening there"],
    ["its name", "ENOTFOUND", { hostname: "proxy.test" }, proxy, "the host name does not exist"],
    [
      "the port of http",
      "ECONNREFUSED",
      { address: "192.0.2.1", port: 80 },
      "http://proxy.test",
      "nothing is listening there",
    ],
    [
      "the port of https",
      "ESOMETHING",
      { address: "192.0.2.1", port: 443 },
      "https://proxy.test",
      "the connection failed",
    ],
  ])("that cannot be reached is recognized by %s", (_, code, peer, address, reason) => {
    const message = `The proxy ${new URL(address).host} cannot be reached: ${reason}.`;
    expect(explain(fail(code, peer), [undefined, address])).toEqual({
      code: "proxy",
      message,
      hint: checkProxies,
      passes: false,
      kept: true,
    });
  });

  it.each([
    ["another port", { address: "192.0.2.1", port: 443 }],
    ["another name", { hostname: "a.test" }],
    ["no address", { port: 3128 }],
    ["nothing", {}],
  ])("is not blamed if the connection was to %s", (_, peer) => {
    expect(explain(fail("ECONNREFUSED", peer), [proxy]).code).toBe("unreachable");
  });

  it("is recognized by the last of several addresses", () => {
    const refused = Object.assign(new Error("no"), { code: "ECONNREFUSED", address: "::1", port: 3128 });
    const failure = new TypeError("fetch failed", { cause: new AggregateError([refused]) });
    expect(explain(failure, [proxy]).code).toBe("proxy");
  });
});
