import { AnalyticsError } from "../errors.ts";
import { RetryableError } from "./retry.ts";

const TIMEOUTS = new Set([
  "ETIMEDOUT",
  "UND_ERR_CONNECT_TIMEOUT",
  "UND_ERR_HEADERS_TIMEOUT",
  "UND_ERR_BODY_TIMEOUT",
]);

/** What a request threw, said so that somebody can act on it. What may pass is a RetryableError. */
export function explainFailure(
  cause: unknown,
  origin: string,
  proxies: readonly (string | undefined)[],
): AnalyticsError | RetryableError {
  const { code, name, message, peer } = readCause(cause);
  // A system's own message holds the host's name, which may be anything.
  const isUndici = code === "" || code.startsWith("UND_ERR");
  if (code.startsWith("UND_ERR_ABORTED") || (isUndici && /proxy/i.test(message))) {
    return new AnalyticsError("proxy", `The proxy refused to connect to ${origin}.`, {
      hint: "Check HTTPS_PROXY (its address, user and password), or add the host to NO_PROXY.",
      cause,
    });
  }
  const proxy = proxies.find(
    (each) => each !== undefined && peer !== undefined && isPeer(new URL(each), peer),
  );
  if (proxy !== undefined) {
    const { host } = new URL(proxy);
    return new AnalyticsError(
      "proxy",
      `The proxy ${host} cannot be reached: ${REASONS[code] ?? "the connection failed"}.`,
      {
        hint: "Check HTTPS_PROXY and HTTP_PROXY, or add the service's host to NO_PROXY.",
        cause,
      },
    );
  }
  if (/^(CERT_|ERR_TLS_|ERR_SSL_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|HOSTNAME_MISMATCH|EPROTO)/.test(code)) {
    const reason = TLS_REASONS[code] ?? code;
    return new AnalyticsError("tls", `No secure connection to ${origin}: ${reason}.`, {
      hint:
        reason === NO_TLS
          ? `Try ${origin.replace("https:", "http:")} (plain http is for this machine alone), or check the port.`
          : "If the service has a certificate of its own authority, name that authority's file in NODE_EXTRA_CA_CERTS.",
      cause,
    });
  }
  if (/^(Z_|ERR__ERROR_|ZSTD_error_)/.test(code)) {
    return new AnalyticsError("bad_answer", `What ${origin} answers cannot be unpacked: it is damaged.`, {
      hint: "Try again later, or tell whoever runs the service.",
      cause,
    });
  }
  if (TIMEOUTS.has(code)) {
    return new RetryableError(
      new AnalyticsError("timeout", `${origin} ${TIMEOUT_REASONS[code] ?? "did not answer in time"}.`, {
        hint: "Check the base URL and the network, or try again later.",
        cause,
      }),
    );
  }
  const isHttp = name !== "HTTPParserError";
  const reason = isHttp ? REASONS[code] : "what answers there does not speak HTTP";
  const unreachable = new AnalyticsError(
    "unreachable",
    `${origin} cannot be reached: ${reason ?? "the connection failed"}.`,
    {
      hint: "Check the base URL, the network and HTTPS_PROXY.",
      // The parser's error holds the bytes that came: what answers there may repeat the key.
      cause: isHttp ? cause : undefined,
    },
  );
  return code === "ENOTFOUND" ? unreachable : new RetryableError(unreachable);
}

/** A connection that was tried on several addresses wraps the reasons, and so do some libraries. */
function readCause(error: unknown) {
  let code = "";
  let name = "";
  let message = "";
  let peer: Peer | undefined;
  for (let each = error; each instanceof Error; each = each.cause) {
    const [first] = each instanceof AggregateError ? each.errors : [];
    const own = "code" in each ? each.code : first?.code;
    if (typeof own === "string") code = own;
    ({ name, message } = each);
    peer = { ...first, ...each } as Peer;
  }
  return { code, name, message, peer };
}

/** Whom Node could not connect to, as its errors tell: an address and port, or a name that has no address. */
interface Peer {
  address?: string;
  port?: number;
  hostname?: string;
}

function isPeer({ hostname, port, protocol }: URL, peer: Peer): boolean {
  const proxyPort = Number(port === "" ? (protocol === "https:" ? 443 : 80) : port);
  return peer.hostname === hostname || (peer.port === proxyPort && peer.address !== undefined);
}

const REASONS: Record<string, string> = {
  ENOTFOUND: "there is no host of that name",
  EAI_AGAIN: "its name cannot be resolved at the moment",
  ECONNREFUSED: "nothing listens there",
  ECONNRESET: "the connection was cut",
  EHOSTUNREACH: "there is no route to it",
  ENETUNREACH: "there is no network",
  UND_ERR_SOCKET: "the connection was cut",
  UND_ERR_HEADERS_OVERFLOW: "the headers of its answer are too long",
};

const TIMEOUT_REASONS: Record<string, string> = {
  UND_ERR_CONNECT_TIMEOUT: "did not accept a connection in time",
  UND_ERR_HEADERS_TIMEOUT: "accepted the request and did not answer in time",
  UND_ERR_BODY_TIMEOUT: "stopped in the middle of its answer",
};

const NO_TLS = "it does not speak TLS there";

const TLS_REASONS: Record<string, string> = {
  CERT_HAS_EXPIRED: "its certificate has expired",
  DEPTH_ZERO_SELF_SIGNED_CERT: "its certificate is signed by itself",
  SELF_SIGNED_CERT_IN_CHAIN: "its certificate comes from an authority that this machine does not know",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: "its certificate comes from an authority that this machine does not know",
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY:
    "its certificate comes from an authority that this machine does not know",
  ERR_TLS_CERT_ALTNAME_INVALID: "its certificate is for another host",
  EPROTO: NO_TLS,
  ERR_SSL_WRONG_VERSION_NUMBER: NO_TLS,
  ERR_SSL_PACKET_LENGTH_TOO_LONG: NO_TLS,
};
