import type { ConsentError } from "../../src/oauth/pages/consent-error.ts";
import { buildConsentPage, type ConsentPage } from "../../src/oauth/pages/consent-page.ts";
import { buildErrorPage } from "../../src/oauth/pages/error-page.ts";
import { buildLandingPage } from "../../src/oauth/pages/landing-page.ts";
import { demo } from "../../src/sources/demo.ts";

const request: ConsentPage = {
  action: "/oauth/consent",
  csrf: "csrf-token",
  application: { name: "Claude", host: "claude.ai" },
  redirect: { kind: "https", host: "claude.ai" },
  service: "https://stats.example.com",
};

export const consent = (changes: Partial<ConsentPage> = {}) => buildConsentPage({ ...request, ...changes });

export const errorCodes = [
  ...(["wrong_key", "empty_key", "malformed_key"] as const),
  ...(["tries_used_up", "rate_limited", "unavailable", "expired"] as const),
] satisfies ConsentError["code"][];

/** Names that applications could choose, and what people then read. */
export const hostileNames = [
  { name: '"><script>alert(1)</script>', shown: '"><script>alert(1)</script>' },
  { name: "'><img src=x onerror=alert(1)>", shown: "'><img src=x onerror=alert(1)>" },
  { name: "</bdi></p></main><h1>Trusted</h1>", shown: "</bdi></p></main><h1>Trusted</h1>" },
  { name: "&lt;b&gt; &#x3c;", shown: "&lt;b&gt; &#x3c;" },
  { name: "{{constructor}} ${1} <%= 1 %>", shown: "{{constructor}} ${1} <%= 1 %>" },
  { name: "javascript:alert(1)", shown: "javascript:alert(1)" },
  { name: "Claude (verified by Anthropic)", shown: "Claude (verified by Anthropic)" },
  { name: "\u202eedualC\u202c", shown: "edualC" },
  { name: "\u2067Cl\u200baude\ufeff\u2069", shown: "Claude" },
  {
    name: "Claude\r\n\r\nConfirmed:\u2028it comes from claude.ai",
    shown: "Claude Confirmed: it comes from claude.ai",
  },
  { name: `Claude${"\u00a0\u2800\u3000".repeat(90)}trusted`, shown: "Claude trusted" },
  { name: `C${"\u0336\u0338\u200b".repeat(500)}laude`, shown: "C\u0336\u0338laude" },
  { name: "W".repeat(10_000), shown: `${"W".repeat(59)}…` },
  { name: "👩‍💻 Claude 🤖", shown: "👩💻 Claude 🤖" },
  { name: "קלוד", shown: "קלוד" },
];

const long = `${"very-long-label.".repeat(15)}example`;

/** Every page in every state, by name. */
export const pages: Record<string, string> = {
  https: consent(),
  unconfirmed: consent({
    application: { name: "Claude (verified)", uri: "https://claude.ai.evil.example/x" },
  }),
  loopback: consent({
    application: { name: "Claude Code", host: "claude.ai" },
    redirect: { kind: "loopback", host: "localhost", port: "53682" },
  }),
  app: consent({ application: { name: "Cursor" }, redirect: { kind: "app", scheme: "cursor" } }),
  nameless: consent({ application: {} }),
  dashboard: consent({ dashboardUrl: 'https://stats.example.com/keys?a="><script>&b=1' }),
  demo: consent({ publicKey: "demo-key-of-acme", notice: demo.about.notice }),
  long: consent({
    application: { name: "W".repeat(10_000), host: long },
    redirect: { kind: "https", host: long },
    service: `https://${long}`,
    error: { code: "unavailable" },
  }),
  ...Object.fromEntries(errorCodes.map((code) => [code, consent({ error: { code } })])),
  refused: buildErrorPage({
    title: "This connection cannot be made",
    message: "The application wants to be answered at an address that it has not registered.",
    hint: "Close this page, remove the connector in your assistant, and add it once more.",
    code: "invalid_redirect_uri",
    reason: `https://evil.example/${"x".repeat(500)}?<script>`,
  }),
  "refused with a link": buildErrorPage({
    title: "This sign-in cannot continue",
    message: "The application sent a request that this server cannot accept.",
    hint: "Go back to the application and start again.",
    link: { href: 'https://evil.example/"><script>?error=x&iss=y', address: long },
    code: "login_required",
  }),
  missing: buildErrorPage({ title: "There is no such page", message: "Nothing is at this address." }),
  landing: buildLandingPage({
    publicUrl: "https://mcp.example.com",
    isLocal: false,
    service: "https://stats.example.com",
    dashboardUrl: "https://stats.example.com/keys",
    hasPublicKey: false,
    documents: [
      { title: "llms.txt", path: "/llms.txt" },
      { title: "OpenAPI document", path: "/openapi.json" },
    ],
  }),
  "landing of a demonstration": buildLandingPage({
    publicUrl: `https://${long}/behind/a/proxy/`,
    isLocal: false,
    service: demo.about.label,
    notice: demo.about.notice,
    hasPublicKey: true,
  }),
  "landing on this machine": buildLandingPage({
    publicUrl: "http://localhost:8788",
    isLocal: true,
    service: demo.about.label,
    notice: demo.about.notice,
    hasPublicKey: true,
  }),
};
