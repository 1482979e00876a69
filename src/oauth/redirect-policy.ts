import { isLoopback } from "../config/base-url.ts";

/**
 * Apps that use a scheme without a dot for their redirects. Any other scheme of that form may start a program of the
 * operating system (`search-ms:`, `ms-msdt:`, `shell:`), so this is a list of what is allowed.
 */
const APP_SCHEMES = [
  "antigravity",
  "chatgpt",
  "claude",
  "code-oss",
  "cursor",
  "goose",
  "kiro",
  "lmstudio",
  "raycast",
  "trae",
  "vscode",
  "vscode-insiders",
  "vscodium",
  "warp",
  "warppreview",
  "windsurf",
  "windsurf-next",
  "zed",
];

/** The form of a domain name in reverse, such as `com.example.app` (RFC 8252, section 7.1). */
const REVERSE_DOMAIN = /^[a-z]{2,}(\.[a-z\d][a-z\d+-]*)+$/;
/** Schemes of that form that belong to operating systems, such as `microsoft.windows.camera`. */
const SYSTEM_SCHEMES = /^((com\.)?(microsoft|apple|android)|windows)\./;

const ALLOWED =
  "https addresses, http addresses of this computer (localhost, 127.0.0.1, [::1]), schemes that are a domain name in " +
  `reverse (com.example.app:), and ${APP_SCHEMES.map((scheme) => `${scheme}://`).join(", ")}`;

/** Why a redirect is refused, and what is allowed instead; undefined if it is allowed. */
export function findForbiddenRedirect(uris: readonly unknown[]): string | undefined {
  const index = uris.findIndex((uri) => !isAllowed(uri));
  if (index === -1) return undefined;
  return `redirect_uris allows ${ALLOWED}, all written in full and without a user name; entry ${index + 1} is none of these`;
}

function isAllowed(uri: unknown): boolean {
  if (typeof uri !== "string" || !URL.canParse(uri)) return false;
  const { protocol, username, password, hostname } = new URL(uri);
  if (username !== "" || password !== "") return false;
  if (protocol === "https:") return isWebAddress(uri);
  if (protocol === "http:") return isWebAddress(uri) && isLoopback(hostname);
  const scheme = protocol.slice(0, -1);
  // Without the slashes, editors take some addresses for commands: `vscode:mcp/install`.
  if (APP_SCHEMES.includes(scheme)) return /^[^:]+:\/\/[^/]/.test(uri);
  return REVERSE_DOMAIN.test(scheme) && !SYSTEM_SCHEMES.test(scheme);
}

/** Whether a web address is written in full. URL parsers also accept `https:host`, backslashes and line breaks. */
export const isWebAddress = (uri: string): boolean =>
  /^https?:\/\/[^\s/\\?#][^\s\\]*$/i.test(uri) && URL.canParse(uri);

/** Whether a redirect stays on the person's own machine. */
export const isLoopbackRedirect = ({ protocol, hostname }: URL): boolean =>
  protocol === "http:" && isLoopback(hostname);
