import { AnalyticsError, readErrorCode } from "../errors.ts";
import { readMember } from "../member.ts";
import { RetryableError } from "./retry.ts";

/**
 * Turns what a request threw into an error that a person can act on. A failure that another attempt may get past is a
 * RetryableError.
 *
 * @param began Whether the answer had begun: then the service was reached.
 */
export function explainFailure(
  cause: unknown,
  origin: string,
  proxies: readonly (string | undefined)[],
  began = false,
): AnalyticsError | RetryableError {
  const failure = readFailure(cause);
  const { code } = failure;
  const proxyError = explainProxy(failure, cause, origin, proxies);
  if (proxyError !== undefined) return proxyError;
  if (/^(CERT_|ERR_TLS_|ERR_SSL_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|HOSTNAME_MISMATCH|EPROTO)/.test(code)) {
    const reason = readMember(TLS_REASONS, code) ?? code;
    return new AnalyticsError("tls", `No secure connection to ${origin}: ${reason}.`, {
      hint:
        reason === NO_TLS
          ? adviseOnHttp(origin)
          : "If the service uses a private certificate authority, set NODE_EXTRA_CA_CERTS to its certificate file.",
      cause,
    });
  }
  if (/^(Z_|ERR__ERROR_|ZSTD_error_)/.test(code)) {
    return new AnalyticsError(
      "bad_answer",
      `The answer of ${origin} is damaged: it cannot be decompressed.`,
      {
        hint: "Try again later, or contact the service's operator.",
        cause,
      },
    );
  }
  const timeout = readMember(TIMEOUT_REASONS, code);
  if (timeout !== undefined) {
    return new RetryableError(
      new AnalyticsError("timeout", `${origin} ${timeout}.`, {
        hint: "Check the base URL and the network, or try again later.",
        cause,
      }),
    );
  }
  return began ? createCutError(cause, origin) : explainUnreachable(failure, cause, origin);
}

const createCutError = (cause: unknown, origin: string) =>
  new RetryableError(
    new AnalyticsError("unreachable", `The answer of ${origin} was cut off before its end.`, {
      hint: "Try again. If it keeps happening, contact the service's operator: its server, or a proxy in front of it, ends answers too early.",
      cause,
    }),
  );

const adviseOnHttp = (origin: string) =>
  `Try ${origin.replace("https:", "http:")} (plain http is only allowed for this machine), or check the port.`;

/** The same for a request that is not sent again. */
export function explainLastFailure(...failure: Parameters<typeof explainFailure>): AnalyticsError {
  const error = explainFailure(...failure);
  return error instanceof RetryableError ? error.error : error;
}

function explainProxy(
  { code, message, peer }: Failure,
  cause: unknown,
  origin: string,
  proxies: readonly (string | undefined)[],
): AnalyticsError | undefined {
  // The message of a system error contains the host's name, which may contain "proxy".
  const isUndici = code === "" || code.startsWith("UND_ERR");
  if (code.startsWith("UND_ERR_ABORTED") || (isUndici && /proxy/i.test(message))) {
    return new AnalyticsError("proxy", `The proxy refused to connect to ${origin}.`, {
      hint: "Check HTTPS_PROXY (its address, user and password), or add the host to NO_PROXY.",
      cause,
    });
  }
  const proxy = proxies.find((url) => url !== undefined && isPeer(new URL(url), peer));
  if (proxy === undefined) return undefined;
  const reason = readMember(REASONS, code) ?? "the connection failed";
  return new AnalyticsError("proxy", `The proxy ${new URL(proxy).host} cannot be reached: ${reason}.`, {
    hint: "Check HTTPS_PROXY and HTTP_PROXY, or add the service's host to NO_PROXY.",
    cause,
  });
}

/** Node's only sign of a connection that ended where TLS should begin, as at a port of plain http. */
const CUT_BEFORE_TLS = /^Client network socket disconnected before secure TLS/;

function explainUnreachable({ code, name, message }: Failure, cause: unknown, origin: string) {
  const isHttp = name !== "HTTPParserError";
  const isBeforeTls = code === "ECONNRESET" && CUT_BEFORE_TLS.test(message);
  const known = isBeforeTls ? "the connection was cut before it was secure" : readMember(REASONS, code);
  const reason = isHttp ? known : "the server there does not speak HTTP";
  const error = new AnalyticsError(
    "unreachable",
    `${origin} cannot be reached: ${reason ?? "the connection failed"}.`,
    {
      hint: isBeforeTls
        ? `Perhaps the server speaks plain http. ${adviseOnHttp(origin)}`
        : "Check the base URL, the network and HTTPS_PROXY.",
      // The parser's error holds the received bytes, which may repeat the key.
      cause: isHttp ? cause : undefined,
    },
  );
  return code === "ENOTFOUND" ? error : new RetryableError(error);
}

interface Failure {
  code: string;
  name: string;
  message: string;
  peer: Peer;
}

/** What Node could not connect to: an address and port, or a name that has no address. */
interface Peer {
  address?: unknown;
  port?: unknown;
  hostname?: unknown;
}

/** Why a connection failed, without an address. */
export function explainConnection(cause: unknown): string {
  const { code } = readFailure(cause);
  return readMember(REASONS, code) ?? readMember(TLS_REASONS, code) ?? "the connection failed";
}

/** Reads the innermost cause. Node wraps the errors of several addresses, and libraries wrap Node's. */
function readFailure(error: unknown): Failure {
  const failure: Failure = { code: "", name: "", message: "", peer: {} };
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    const [first] = cause instanceof AggregateError ? cause.errors : [];
    failure.code = readErrorCode(cause) ?? readErrorCode(first) ?? failure.code;
    failure.name = cause.name;
    failure.message = cause.message;
    failure.peer = { ...first, ...cause };
  }
  return failure;
}

function isPeer({ hostname, port, protocol }: URL, peer: Peer): boolean {
  const proxyPort = Number(port === "" ? (protocol === "https:" ? 443 : 80) : port);
  return peer.hostname === hostname || (peer.port === proxyPort && peer.address !== undefined);
}

const REASONS: Record<string, string> = {
  ENOTFOUND: "the host name does not exist",
  EAI_AGAIN: "the host name cannot be resolved right now",
  ECONNREFUSED: "nothing is listening there",
  ECONNRESET: "the connection was cut",
  EHOSTUNREACH: "there is no route to it",
  ENETUNREACH: "there is no network",
  UND_ERR_SOCKET: "the connection was cut",
  UND_ERR_HEADERS_OVERFLOW: "its response headers are too long",
};

const TIMEOUT_REASONS: Record<string, string> = {
  ETIMEDOUT: "did not answer in time",
  UND_ERR_CONNECT_TIMEOUT: "did not accept a connection in time",
  UND_ERR_HEADERS_TIMEOUT: "accepted the request and did not answer in time",
  UND_ERR_BODY_TIMEOUT: "stopped in the middle of its answer",
};

const NO_TLS = "the server does not speak TLS";
const UNKNOWN_AUTHORITY = "its certificate comes from an authority that this machine does not trust";

const TLS_REASONS: Record<string, string> = {
  CERT_HAS_EXPIRED: "its certificate has expired",
  DEPTH_ZERO_SELF_SIGNED_CERT: "its certificate is self-signed",
  SELF_SIGNED_CERT_IN_CHAIN: UNKNOWN_AUTHORITY,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNKNOWN_AUTHORITY,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNKNOWN_AUTHORITY,
  ERR_TLS_CERT_ALTNAME_INVALID: "its certificate is for another host",
  EPROTO: NO_TLS,
  ERR_SSL_WRONG_VERSION_NUMBER: NO_TLS,
  ERR_SSL_PACKET_LENGTH_TOO_LONG: NO_TLS,
};
