import { sites, stats } from "../../operations/index.ts";
import { describeReply, type Key, quote, type Reply } from "../reply.ts";
import type { Section } from "../rule.ts";
import { basicParams, type Subject, siteOperations } from "../subject.ts";
import { Breach, demand, Skip } from "../verdict.ts";

const NO_SUCH_SITE = "conform.invalid";

/** Fields that differ from one answer to the next, whatever the site. */
const PASSING_FIELDS =
  /^(date|age|x-request-id|(x-)?ratelimit.*|retry-after|server-timing|x-(response-time|runtime)|content-length|connection|keep-alive|set-cookie|traceparent|cf-ray|via)$/;

/** What a caller sees of an answer, but for what differs between any two. */
function look({ status, text, json }: Reply): string {
  const body = JSON.stringify(json, (key, value) => (key === "request_id" ? undefined : value)) ?? text;
  return `status ${status}, ${body}`;
}

function fieldsOf({ headers }: Reply): Map<string, string> {
  return new Map([...headers].filter(([name]) => !PASSING_FIELDS.test(name)));
}

function findDifference(one: Map<string, string>, other: Map<string, string>): string | undefined {
  return [...new Set([...one.keys(), ...other.keys()])].find((name) => one.get(name) !== other.get(name));
}

/** Both organizations' keys, each with the sites of the other that it must not see. */
function strangers(subject: Subject): { key: Key; names: string[]; owner: Key }[] {
  const { other, site, keys } = subject;
  return [
    { key: keys.own, names: [other.site.id, other.site.domain], owner: other.key },
    { key: other.key, names: [site.id, site.domain], owner: keys.own },
  ];
}

/**
 * Asks about another organization's site, and about one that does not exist, in the same words: one operation
 * after the other, or the given ones.
 */
async function ofEach(
  subject: Subject,
  how: { method?: string; headers?: Record<string, string> },
  compare: (stranger: Reply, nobody: Reply, askNobody: () => Promise<Reply>) => Promise<void>,
  operations: readonly (typeof siteOperations)[number][] = siteOperations,
): Promise<void> {
  for (const { key, names, owner } of strangers(subject)) {
    for (const operation of operations) {
      const params = basicParams(subject, operation);
      const askFor = (site: string, fresh = false) =>
        subject.ask(operation.path, { ...params, site }, { ...how, key, fresh });
      for (const name of names) {
        // The owner asks first, so that an answer kept by the address alone would be found.
        const own = await subject.ask(operation.path, { ...params, site: name }, { key: owner });
        if (own.status !== 200) throw new Skip(`the owner of ${name} cannot read it: see the rules on sites`);
        await compare(await askFor(name), await askFor(NO_SUCH_SITE), () => askFor(NO_SUCH_SITE, true));
      }
    }
  }
}

async function demandStatus(stranger: Reply, { status }: Reply): Promise<void> {
  demand(stranger.status === status, stranger, `status ${status}`, describeReply(stranger));
}

export const isolation: Section = {
  name: "isolation",
  title: "Isolation of organizations",
  rules: [
    {
      id: "isolation.lists-apart",
      severity: "must",
      title: "No site is listed to the keys of two organizations.",
      fix: "List the sites of the key's organization alone. (Are both keys of the same organization?)",
      check: async (subject) => {
        const key = subject.otherKey;
        const reply = await subject.ask(sites.path, "", { key });
        const own = new Set(subject.sites.map(({ id }) => id));
        const listed = subject.otherSites.map(({ id }) => id);
        const both = listed.find((id) => own.has(id));
        demand(
          both === undefined,
          reply,
          "sites of the other organization alone",
          `${quote(both)} in both lists`,
        );
      },
    },
    {
      id: "isolation.other-organization",
      severity: "must",
      title: "Another organization's site answers like one that does not exist: the same status and body.",
      fix: "Look a site up among those of the key's organization, never among all.",
      check: async (subject) =>
        ofEach(subject, {}, async (stranger, nobody) => {
          const [expected, seen] = [look(nobody), look(stranger)];
          demand(seen === expected, stranger, expected, seen);
        }),
    },
    {
      id: "isolation.fields",
      severity: "must",
      title: "It answers with the same header fields, too.",
      fix: "Let both take the same way through the code; set no field before the site is found.",
      check: async (subject) =>
        ofEach(subject, {}, async (stranger, nobody, askNobody) => {
          if (stranger.status !== nobody.status) {
            throw new Skip("the answers are not alike: see isolation.other-organization");
          }
          const name = findDifference(fieldsOf(nobody), fieldsOf(stranger));
          if (name === undefined) return;
          // A field that is never the same twice tells nothing.
          if (findDifference(fieldsOf(nobody), fieldsOf(await askNobody())) === name) return;
          const show = (reply: Reply) => `${name}: ${quote(reply.headers.get(name))}`;
          throw new Breach(stranger.sent, show(nobody), show(stranger));
        }),
    },
    {
      id: "isolation.head",
      severity: "must",
      title: "HEAD tells no more about another organization's site than GET.",
      fix: "Let HEAD take the way of GET.",
      check: async (subject) => ofEach(subject, { method: "HEAD" }, demandStatus, [stats]),
    },
    {
      id: "isolation.conditional",
      severity: "must",
      title: "If-None-Match tells no more about it either: no 304 for another organization's site.",
      fix: "Compare tags after the site was found.",
      check: async (subject) => ofEach(subject, { headers: { "if-none-match": "*" } }, demandStatus, [stats]),
    },
    {
      id: "isolation.parameters",
      severity: "must",
      title:
        "A wrong parameter is refused alike on another organization's site and on one that does not exist.",
      fix: "Look at the parameters before the site, or at the site first in both cases.",
      check: async (subject) => {
        for (const { key, names } of strangers(subject)) {
          const nobody = await subject.ask(stats.path, { site: NO_SUCH_SITE, days: 0 }, { key });
          for (const name of names) {
            const stranger = await subject.ask(stats.path, { site: name, days: 0 }, { key });
            const [expected, seen] = [look(nobody), look(stranger)];
            demand(seen === expected, stranger, expected, seen);
          }
        }
      },
    },
  ],
};
