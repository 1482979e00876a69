import { type ConnectorFacts, demand, SEE_LOG } from "./connector-metadata.ts";
import { type Finding, ok, skip, warn } from "./doctor-check.ts";

const NOT_STARTED = "no application could register";

/** The page where a person gives the key. */
export async function checkPage({ readClientId, readPage }: ConnectorFacts): Promise<Finding> {
  if ((await readClientId()) === undefined) return skip(NOT_STARTED);
  const { status, headers, body } = await readPage();
  demand(status === 200, `it answers ${status}`, SEE_LOG);
  demand(
    /^\s*text\/html\b/i.test(headers.get("content-type") ?? ""),
    "it is not an HTML page",
    "Check that nothing in front of the connector changes its answers.",
  );
  demand(
    /<form\b[^>]*\bmethod="?post\b/i.test(body) && /<input\b[^>]*\btype="?password\b/i.test(body),
    "it has no form that asks for a key",
    "Check that nothing in front of the connector, such as a waiting room, answers instead.",
  );
  return ok("it asks for the key; none was sent");
}

interface Weakness {
  isSerious?: true;
  detail: string;
  fix: string;
}

/** What protects the person on that page, and what would keep an application from getting its answer. */
export async function checkPageHeaders({ readClientId, readPage }: ConnectorFacts): Promise<Finding> {
  if ((await readClientId()) === undefined) return skip(NOT_STARTED);
  const { headers } = await readPage();
  const found = findWeaknesses(headers);
  if (found.length === 0) return ok("Content-Security-Policy, frame-ancestors, Referrer-Policy, nosniff");
  const detail = found.map((weakness) => weakness.detail).join("; ");
  const fix = found.map((weakness) => weakness.fix).join(" ");
  demand(!found.some(({ isSerious }) => isSerious), detail, fix);
  return warn(detail, fix);
}

function findWeaknesses(headers: Headers): Weakness[] {
  const policy = readPolicy(headers.get("content-security-policy") ?? "");
  const frames = policy.get("frame-ancestors");
  const isFramed = frames === undefined ? !headers.has("x-frame-options") : /\*|https?:/.test(frames);
  const weaknesses: (Weakness | false)[] = [
    isFramed && {
      isSerious: true,
      detail: "another site can show the page in a frame (clickjacking)",
      fix: "Send Content-Security-Policy with frame-ancestors 'none'.",
    },
    !policy.has("default-src") &&
      !policy.has("script-src") && {
        isSerious: true,
        detail: "no Content-Security-Policy limits scripts",
        fix: "Send Content-Security-Policy with default-src 'none'.",
      },
    policy.has("form-action") && {
      detail: "form-action makes Chromium block the way back to applications such as cursor://",
      fix: "Leave form-action out of Content-Security-Policy.",
    },
    /\bno-referrer\s*$/i.test(headers.get("referrer-policy") ?? "") && {
      detail: "Referrer-Policy: no-referrer makes browsers send the form with Origin: null",
      fix: "Send Referrer-Policy: same-origin.",
    },
    headers.get("x-content-type-options")?.toLowerCase() !== "nosniff" && {
      detail: "X-Content-Type-Options: nosniff is missing",
      fix: "Send it with every page.",
    },
  ];
  return weaknesses.filter((weakness) => weakness !== false);
}

/** The directives of a Content-Security-Policy, by name. */
const readPolicy = (policy: string): Map<string, string> =>
  new Map(
    policy.split(";").flatMap((directive): [string, string][] => {
      const [name = "", ...values] = directive.trim().split(/\s+/);
      return name === "" ? [] : [[name.toLowerCase(), values.join(" ")]];
    }),
  );
