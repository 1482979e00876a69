import type { Access, ChosenSite } from "../config/access.ts";
import { AnalyticsError, type ErrorCode, quoteIfNeeded } from "../errors.ts";
import { CONTRACT_VERSION } from "../operations/contract.ts";
import { findListed, listSites } from "../operations/site-name.ts";
import type { Described } from "../sources/described/capabilities.ts";
import { findGateway } from "../sources/gateways/gateway-kinds.ts";
import { type Check, type Facts, type Finding, fail, ok, skip, warn } from "./doctor-check.ts";
import type { ServiceTrial } from "./service-trial.ts";

const MAX_SKEW_MS = 60_000;
const LOW_QUOTA = 5;

/** Checks of the service's answers, once it can be reached. */
export const serviceChecks: readonly Check[] = [
  { name: "answer", needs: ["key", "base URL", "proxy", "dns", "tcp", "tls"], run: checkAnswer },
  { name: "access", needs: ["answer"], run: checkAccess },
  { name: "clock", needs: ["answer"], run: checkClock },
  { name: "rate limit", needs: ["answer"], run: checkRateLimit },
  { name: "contract", needs: ["access"], run: checkContract },
  { name: "sites", needs: ["access"], run: checkSites },
];

const isAboutKey = (code: ErrorCode) => code === "invalid_api_key" || code === "missing_api_key";

async function checkAnswer({ readTrial }: Facts): Promise<Finding> {
  const { error, durations } = await readTrial();
  if (error !== undefined && !isAboutKey(error.code)) return fail(error);
  const median = durations[Math.floor(durations.length / 2)] ?? 0;
  const times = durations.length === 1 ? "once" : `${durations.length} times`;
  return ok(`asked ${times}, median ${Math.round(median)} ms`);
}

async function checkAccess({ readTrial }: Facts): Promise<Finding> {
  const { error } = await readTrial();
  return error === undefined ? ok("the key is accepted") : fail(error);
}

async function checkClock({ readTrial }: Facts): Promise<Finding> {
  return compareClocks(await readTrial(), "service");
}

/** Compares this machine's clock with the `Date` header of an answer. */
export function compareClocks(
  { headers, asked, answered }: Pick<ServiceTrial, "headers" | "asked" | "answered">,
  peer: string,
): Finding {
  const date = Date.parse(headers?.get("date") ?? "");
  if (Number.isNaN(date)) return skip(`the ${peer} sends no Date header`);
  // The header has whole seconds and was written between the request and the response.
  const ahead = asked > date + 1_000 ? asked - date - 1_000 : Math.min(0, answered - date);
  if (Math.abs(ahead) < MAX_SKEW_MS) return ok(`agrees with the ${peer}`);
  const size = describeDuration(Math.abs(ahead));
  return warn(
    `this machine is ${size} ${ahead > 0 ? "ahead of" : "behind"} the ${peer}`,
    "Synchronize this machine's clock with NTP: certificates and waits depend on it.",
  );
}

function describeDuration(milliseconds: number): string {
  const minutes = Math.round(milliseconds / 60_000);
  return minutes < 120 ? `${minutes} min` : `${Math.round(minutes / 60)} h`;
}

async function checkRateLimit({ readTrial }: Facts): Promise<Finding> {
  const { headers } = await readTrial();
  const [, draft] = /(?:^|;)\s*r=(\d+)/.exec(headers?.get("ratelimit") ?? "") ?? [];
  const left = draft ?? headers?.get("x-ratelimit-remaining")?.trim();
  if (left === undefined || !/^\d+$/.test(left)) return skip("the service does not report a quota");
  if (Number(left) >= LOW_QUOTA) return ok(`${left} requests left`);
  return warn(`${left} requests left`, "Wait a little, and check what else uses this key.");
}

async function checkContract({ readAccess, readTrial }: Facts): Promise<Finding> {
  const access = await readAccess();
  const { service } = access;
  if (service !== undefined) return skip(`${findGateway(service).title} has an API of its own`);
  const { readDescribed, readDescription } = await readTrial();
  const described = await readDescribed();
  if (described !== undefined) return checkReading(described, access);
  try {
    const { info } = await readDescription();
    const [major] = info.version.split(".");
    if (major === CONTRACT_VERSION.split(".")[0]) return ok(`version ${info.version}`);
    return warn(
      `the service has version ${info.version}, this program ${CONTRACT_VERSION}`,
      "Update analytics-mcp, or the service.",
    );
  } catch (error) {
    if (!(error instanceof AnalyticsError)) throw error;
    return warn(
      `the service's OpenAPI document cannot be read: ${error.message}`,
      "Tell the operator of the service.",
    );
  }
}

/** A service that only describes itself: what it does not have. Where its fields are is a table of its own. */
async function checkReading(described: Described, access: Access): Promise<Finding> {
  const [{ summarizeService }, { adviseOnProposal, listLacks }] = await Promise.all([
    import("../sources/described/service-summary.ts"),
    import("../sources/described/summary-text.ts"),
  ]);
  const summary = await summarizeService(described, access.site, {});
  const [problem] = summary.problems;
  if (problem !== undefined) {
    const { message, hint = "See analytics-mcp mapping." } = problem.error;
    const { proposal } = summary;
    return warn(message, proposal ? adviseOnProposal(problem.error, proposal, access) : hint);
  }
  const intro = "reads its own field names (analytics-mcp mapping shows them).";
  return ok([intro, ...listLacks(summary, access)].join(" "));
}

async function checkSites({ readTrial, readAccess }: Facts): Promise<Finding> {
  const { found } = await readTrial();
  const { sites } = found;
  const { site, sources } = await readAccess();
  const domains = sites.map(({ domain }) => domain);
  assertListed({ site, source: sources.site ?? "" }, sites, "the key's sites");
  if (domains.length === 0) {
    return warn(
      "the key's organization has no sites",
      "Add a site in the dashboard, or use a key of another organization.",
    );
  }
  return judgeSites(found);
}

/** Throws AnalyticsError `site_not_found` if the site of questions that name none is not listed. */
export function assertListed(
  { site, source }: ChosenSite,
  sites: ServiceTrial["found"]["sites"],
  whose: string,
): void {
  if (site === undefined) return;
  if (findListed(sites, site) !== undefined) return;
  const domains = sites.map(({ domain }) => domain);
  throw new AnalyticsError(
    "site_not_found",
    `${quoteIfNeeded(site)}, set by ${source}, is not one of ${whose}.`,
    { hint: `Choose one of: ${listSites(domains, MAX_LISTED)}.` },
  );
}

/** Names some sites, and says why others are not listed. */
export function judgeSites({ sites, warnings = [] }: ServiceTrial["found"]): Finding {
  const named = listSites(
    sites.map(({ domain }) => domain),
    MAX_LISTED,
  );
  return warnings.length === 0 ? ok(named) : warn(named, warnings.map(({ detail }) => detail).join(" "));
}

const MAX_LISTED = 5;
