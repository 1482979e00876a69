import { sites, stats } from "../../operations/index.ts";
import { type Key, quote, type Reply } from "../reply.ts";
import { demandStatus } from "../reply-checks.ts";
import { defineSection, type Rule } from "../rule.ts";
import { basicParams, type Subject, siteOperations } from "../subject.ts";
import { Breach, demand, Skip } from "../verdict.ts";

const NO_SUCH_SITE = "conform.invalid";

/** Fields that differ between any two answers, whatever the site. */
const VOLATILE_FIELDS =
  /^(date|age|x-request-id|(x-)?ratelimit.*|retry-after|server-timing|x-(response-time|runtime)|content-length|connection|keep-alive|set-cookie|traceparent|cf-ray|via)$/;

/** The status and body of an answer, without what differs between any two answers. */
function look({ status, text, json }: Reply): string {
  const body = JSON.stringify(json, (key, value) => (key === "request_id" ? undefined : value)) ?? text;
  return `status ${status}, ${body}`;
}

function fieldsOf({ headers }: Reply): Map<string, string> {
  return new Map([...headers].filter(([name]) => !VOLATILE_FIELDS.test(name)));
}

function findDifference(one: Map<string, string>, other: Map<string, string>): string | undefined {
  return [...new Set([...one.keys(), ...other.keys()])].find((name) => one.get(name) !== other.get(name));
}

/** Both organizations' keys, each with the names of a site of the other organization. */
function listForeignSites(subject: Subject): { key: Key; names: string[]; owner: Key }[] {
  const { other, site, keys } = subject;
  return [
    { key: keys.own, names: [other.site.id, other.site.domain], owner: other.key },
    { key: other.key, names: [site.id, site.domain], owner: keys.own },
  ];
}

/** Compares the answer about another organization's site with the same request about a site that does not exist. */
function ofEach(
  how: { method?: string; headers?: Record<string, string> },
  compare: (foreign: Reply, missing: Reply, askMissing: () => Promise<Reply>) => Promise<void>,
  operations: readonly (typeof siteOperations)[number][] = siteOperations,
): Rule["check"] {
  return async (subject) => {
    for (const { key, names, owner } of listForeignSites(subject)) {
      for (const operation of operations) {
        const params = basicParams(subject, operation);
        const askFor = (site: string, fresh = false) =>
          subject.ask(operation.path, { ...params, site }, { ...how, key, fresh });
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

const demandSameStatus = async (foreign: Reply, { status }: Reply) => demandStatus(foreign, status);

export const isolation = defineSection({
  name: "isolation",
  title: "Isolation of organizations",
  rules: [
    {
      id: "isolation.lists-apart",
      title: "No site is listed for the keys of two organizations.",
      fix: "List only the sites of the key's organization. (Do both keys belong to the same organization?)",
      check: async (subject) => {
        const key = subject.otherKey;
        const reply = await subject.ask(sites.path, "", { key });
        const own = new Set(subject.sites.map(({ id }) => id));
        const listed = subject.otherSites.map(({ id }) => id);
        const both = listed.find((id) => own.has(id));
        demand(
          both === undefined,
          reply,
          "only sites of the other organization",
          `${quote(both)} in both lists`,
        );
      },
    },
    {
      id: "isolation.other-organization",
      title: "Another organization's site gets the same status and body as a site that does not exist.",
      fix: "Look up the site among those of the key's organization, never among all sites.",
      check: ofEach({}, async (foreign, missing) => {
        const [expected, seen] = [look(missing), look(foreign)];
        demand(seen === expected, foreign, expected, seen);
      }),
    },
    {
      id: "isolation.fields",
      title: "Another organization's site gets the same header fields as a site that does not exist.",
      fix: "Use the same code path for both, and set no field before the site is found.",
      check: ofEach({}, async (foreign, missing, askMissing) => {
        if (foreign.status !== missing.status) {
          throw new Skip("the answers differ: see isolation.other-organization");
        }
        const name = findDifference(fieldsOf(missing), fieldsOf(foreign));
        if (name === undefined) return;
        // Ignore a field that differs every time.
        if (findDifference(fieldsOf(missing), fieldsOf(await askMissing())) === name) return;
        const show = (reply: Reply) => `${name}: ${quote(reply.headers.get(name))}`;
        throw new Breach(foreign.sent, show(missing), show(foreign));
      }),
    },
    {
      id: "isolation.head",
      title: "HEAD reveals no more about another organization's site than GET.",
      fix: "Handle HEAD like GET.",
      check: ofEach({ method: "HEAD" }, demandSameStatus, [stats]),
    },
    {
      id: "isolation.conditional",
      title: "If-None-Match reveals no more either: no 304 for another organization's site.",
      fix: "Compare tags only after the site is found.",
      check: ofEach({ headers: { "if-none-match": "*" } }, demandSameStatus, [stats]),
    },
    {
      id: "isolation.parameters",
      title:
        "A wrong parameter gets the same answer for another organization's site and for one that does not exist.",
      fix: "Check the parameters before the site, or the site first in both cases.",
      check: async (subject) => {
        for (const { key, names } of listForeignSites(subject)) {
          const missing = await subject.ask(stats.path, { site: NO_SUCH_SITE, days: 0 }, { key });
          for (const name of names) {
            const foreign = await subject.ask(stats.path, { site: name, days: 0 }, { key });
            const [expected, seen] = [look(missing), look(foreign)];
            demand(seen === expected, foreign, expected, seen);
          }
        }
      },
    },
  ],
});
