import { quote } from "../../errors.ts";
import { addDays } from "../../operations/days.ts";
import { hours } from "../../operations/hours.ts";
import { operations, sites, stats, timeseries } from "../../operations/index.ts";
import type { Operation } from "../../operations/operation.ts";
import { normalizeSite } from "../../operations/site-name.ts";
import type { Ask, Params } from "../probe.ts";
import type { Key, Reply } from "../reply.ts";
import { demandStatus } from "../reply-checks.ts";
import { defineSection, type Rule } from "../rule.ts";
import { basicParams, read, type Subject, siteOperations } from "../subject.ts";
import type { Site } from "../survey.ts";
import { Breach, demand, Skip } from "../verdict.ts";
import { dateOperations, findOffering } from "./dates-rules.ts";
import { findFiltering } from "./filter-requests.ts";
import { demandOffered } from "./hours-rules.ts";

const NO_SUCH_SITE = "conform.invalid";

/** Fields that differ between any two answers, whatever the site. */
const VOLATILE_FIELDS =
  /^(date|age|x-request-id|(x-)?ratelimit.*|retry-after|server-timing|x-(response-time|runtime)|content-length|connection|keep-alive|set-cookie|traceparent|cf-ray|via)$/;

/** What an answer shows, by name: its status and the members of its body, or its header fields. */
function readParts({ status, text, json, headers }: Reply, parts: "body" | "fields"): Map<string, string> {
  if (parts === "fields") return new Map([...headers].filter(([name]) => !VOLATILE_FIELDS.test(name)));
  const members = Object.entries(typeof json === "object" && json !== null ? json : { body: text });
  const shown = members.filter(([name]) => name !== "request_id");
  return new Map([["status", `${status}`], ...shown.map(([name, value]) => [name, quote(value)] as const)]);
}

/** The names of the parts that differ. The site is ignored where an answer repeats it from its request. */
function findDifferences(one: Reply, other: Reply, parts: "body" | "fields"): string[] {
  const [first, second] = [readParts(one, parts), readParts(other, parts)];
  const hide = ({ sent }: Reply, text = "nothing") => {
    const asked = new URL(sent.url).searchParams.get("site") ?? "";
    return [asked, encodeURIComponent(asked)].reduce((masked, name) => masked.replaceAll(name, "SITE"), text);
  };
  return [...new Set([...first.keys(), ...second.keys()])].filter((name) => {
    const [value, otherValue] = [first.get(name), second.get(name)];
    return value !== otherValue && hide(one, value) !== hide(other, otherValue);
  });
}

/** A site, and the names by which a key of another organization must not find it. */
interface ForeignSite {
  key: Key;
  owner: Key;
  names: string[];
}

/**
 * For each key, a site that only the other key lists. Two organizations may track one domain, and ids may be unique only
 * within an organization: a name that the key's own sites have, too, is left out.
 */
function listForeignSites({ otherKey, otherSites, site, sites: listed, keys }: Subject): ForeignSite[] {
  const own = [site, ...listed];
  const pick = (candidates: readonly Site[], known: readonly Site[]): string[] => {
    const taken = new Set(known.flatMap(({ id, domain }) => [id, normalizeSite(id), domain]));
    const names = candidates.map(({ id, domain }) =>
      [...new Set([id, domain])].filter((name) => !taken.has(name) && !taken.has(normalizeSite(name))),
    );
    return names.toSorted((a, b) => b.length - a.length)[0] ?? [];
  };
  const found = [
    { key: keys.own, owner: otherKey, names: pick(otherSites, own) },
    { key: otherKey, owner: keys.own, names: pick(own, otherSites) },
  ].filter(({ names }) => names.length > 0);
  if (found.length === 0)
    throw new Skip("each key finds its own site by every name that the other key lists");
  return found;
}

/** Compares the answer about another organization's site with the same request about a site that does not exist. */
function ofEach(
  { params: changed, ...how }: Ask & { params?: Params },
  compare: (foreign: Reply, missing: Reply, askMissing: () => Promise<Reply>) => Promise<void>,
  operations: readonly Operation[] = siteOperations,
): Rule["check"] {
  return async (subject) => {
    for (const { key, names, owner } of listForeignSites(subject)) {
      for (const operation of operations) {
        const params = basicParams(subject, operation);
        const askFor = (site: string, fresh = false) =>
          subject.ask(operation.path, { ...params, ...changed, site }, { ...how, key, fresh });
        for (const name of names) {
          // The owner asks first: a cache that ignores the key would then reveal the answer.
          const own = await subject.ask(operation.path, { ...params, site: name }, { key: owner });
          if (own.status !== 200)
            throw new Skip(`the owner of ${name} cannot read it: see the rules in sites`);
          await compare(await askFor(name), await askFor(NO_SUCH_SITE), () => askFor(NO_SUCH_SITE, true));
        }
      }
    }
  };
}

/** Demands that two answers look the same, except for what differs between any two answers. */
async function demandSame(
  foreign: Reply,
  missing: Reply,
  askMissing: () => Promise<Reply>,
  parts: "body" | "fields" = "body",
): Promise<void> {
  const differences = findDifferences(missing, foreign, parts);
  if (differences.length === 0) return;
  const volatile = findDifferences(missing, await askMissing(), parts);
  const name = differences.find((difference) => !volatile.includes(difference));
  if (name === undefined) return;
  const show = (reply: Reply) => `${name}: ${readParts(reply, parts).get(name) ?? "nothing"}`;
  throw new Breach(foreign.sent, show(missing), show(foreign));
}

/** Demands the same status and body for another organization's site as for one that does not exist. */
const hidesForeignSites = (operations?: readonly Operation[]): Rule["check"] =>
  ofEach({}, demandSame, operations);

/** Demands that an operation hides foreign sites in the answer to a query, too. */
async function demandHidden(
  subject: Subject,
  operation: Operation,
  params: Params,
  foreign = listForeignSites(subject),
): Promise<void> {
  for (const { key, names } of foreign) {
    const askFor = (site = NO_SUCH_SITE, fresh = false) =>
      subject.ask(operation.path, { ...params, site }, { key, fresh });
    await demandSame(await askFor(names[0]), await askFor(), () => askFor(NO_SUCH_SITE, true));
  }
}

const demandSameStatus = async (foreign: Reply, { status }: Reply) => demandStatus(foreign, status);

export const isolation = defineSection({
  name: "isolation",
  title: "Isolation of organizations",
  rules: {
    "isolation.lists-apart": {
      must: "No site is listed for the keys of two organizations.",
      fix: "List only the sites of the key's organization. (Do both keys belong to the same organization?)",
      check: async (subject) => {
        const key = subject.otherKey;
        const reply = await subject.ask(sites.path, "", { key });
        // The whole record: two organizations may track one domain, and number their sites alike.
        const record = ({ id, domain, name, timezone, created_at }: Site) =>
          quote({ id, domain, name, timezone, created_at });
        const own = new Set(subject.sites.map(record));
        const both = subject.otherSites.map(record).find((other) => own.has(other));
        demand(both === undefined, reply, "only sites of the other organization", `${both} in both lists`);
      },
    },
    "isolation.other-organization": {
      must: "Another organization's site gets the same status and body as a site that does not exist.",
      fix: "Look up the site among those of the key's organization, never among all sites.",
      check: hidesForeignSites(),
    },
    ...Object.fromEntries(
      operations
        .filter(({ isOptional }) => isOptional)
        .map((operation) => [
          `isolation.${operation.conform.section}`,
          {
            must: `On ${operation.path}, too, another organization's site gets the same status and body, if the service offers it.`,
            fix: "Look up the site as for every operation.",
            check: async (subject: Subject) => {
              await read(subject, operation);
              await hidesForeignSites([operation])(subject);
            },
          },
        ]),
    ),
    "isolation.dates": {
      must: "With from and to, too, another organization's site gets the same status and body, if they are offered.",
      fix: "Look up the site before reading the days, with the same code for days as for from and to.",
      check: async (subject) => {
        const { to: today } = (await read(subject, stats)).answer.period;
        const dates = { from: addDays(today, -7), to: addDays(today, -1) };
        for (const operation of await findOffering(subject, dateOperations)) {
          const { days: _, ...params } = basicParams(subject, operation);
          await demandHidden(subject, operation, { ...params, ...dates });
        }
      },
    },
    "isolation.filter": {
      must: "With a filter, too, another organization's site gets the same status and body, if filters are offered.",
      fix: "Look up the site before using the filter, with the same code as without one.",
      check: async (subject) => {
        for (const operation of await findFiltering(subject, siteOperations)) {
          const params = { ...basicParams(subject, operation), filter: ["pages=*"] };
          await demandHidden(subject, operation, params, listForeignSites(subject).slice(0, 1));
        }
      },
    },
    "isolation.hours": {
      must: "By hour, too, another organization's site gets the same status and body, if hours are offered.",
      fix: "Look up the site before counting hours, with the same code as for days.",
      check: async (subject) => {
        await demandOffered(subject);
        const params = basicParams(subject, hours);
        await demandHidden(subject, timeseries, params, listForeignSites(subject).slice(0, 1));
      },
    },
    "isolation.fields": {
      must: "Another organization's site gets the same header fields as a site that does not exist.",
      fix: "Use the same code path for both, and set no field before the site is found.",
      check: ofEach({}, async (foreign, missing, askMissing) => {
        if (foreign.status !== missing.status) {
          throw new Skip("the answers differ: see isolation.other-organization");
        }
        await demandSame(foreign, missing, askMissing, "fields");
      }),
    },
    "isolation.head": {
      must: "HEAD reveals no more about another organization's site than GET.",
      fix: "Handle HEAD like GET.",
      check: ofEach({ method: "HEAD" }, demandSameStatus, [stats]),
    },
    "isolation.conditional": {
      must: "If-None-Match reveals no more either: no 304 for another organization's site.",
      fix: "Compare tags only after the site is found.",
      check: ofEach({ headers: { "if-none-match": "*" } }, demandSameStatus, [stats]),
    },
    "isolation.parameters": {
      must: "A wrong parameter gets the same answer for another organization's site and for one that does not exist.",
      fix: "Check the parameters before the site, or the site first in both cases.",
      check: ofEach({ params: { days: 0 } }, demandSame, [stats]),
    },
  },
});
