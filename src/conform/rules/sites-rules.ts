import { realtime, sites, stats } from "../../operations/index.ts";
import { localTime } from "../local-time.ts";
import { demandRefusal } from "../refusal.ts";
import { describeReply, member, quote, type Reply } from "../reply.ts";
import type { Section } from "../rule.ts";
import { basicParams, read, type Subject, siteOperations } from "../subject.ts";
import { demand } from "../verdict.ts";

/** Each spelling of the site must be answered about the site itself. */
async function demandSame({ ask, site }: Subject, spellings: string[]): Promise<void> {
  for (const spelling of spellings) {
    const reply = await ask(realtime.path, { site: spelling });
    demandSite(reply, site, `of ${spelling}`);
  }
}

function demandSite(reply: Reply, { id, domain }: { id: string; domain: string }, words: string): void {
  const seen = member(reply.json, "site");
  const isSame = reply.status === 200 && member(seen, "id") === id && member(seen, "domain") === domain;
  const expected = `the site ${quote({ id, domain })} ${words}`;
  demand(isSame, reply, expected, reply.status === 200 ? `site ${quote(seen)}` : describeReply(reply));
}

export const sitesSection: Section = {
  name: "sites",
  title: "Sites",
  rules: [
    {
      id: "sites.unique",
      severity: "must",
      title: "No id and no domain stands in the list twice.",
      fix: "List each site once: either of the two must name it without doubt.",
      check: async (subject) => {
        const { reply, answer } = await read(subject, sites);
        for (const key of ["id", "domain"] as const) {
          const values = answer.sites.map((site) => site[key]);
          const twice = values.find((value, index) => values.indexOf(value) !== index);
          demand(twice === undefined, reply, `each ${key} once`, `${quote(twice)} twice`);
        }
      },
    },
    {
      id: "sites.order",
      severity: "should",
      title: "Sites are listed in order of their domains.",
      fix: "Sort by domain, so that lists of two moments can be compared.",
      check: async (subject) => {
        const { reply, answer } = await read(subject, sites);
        const domains = answer.sites.map(({ domain }) => domain);
        const sorted = [...domains].sort((a, b) => (a < b ? -1 : 1));
        demand(`${domains}` === `${sorted}`, reply, quote(sorted), quote(domains));
      },
    },
    {
      id: "sites.domain-form",
      severity: "must",
      title: "A domain is a lower-case host name without scheme, www., port and path.",
      fix: "Store the bare domain; what people type around it is taken away when they ask.",
      check: async (subject) => {
        const { reply, answer } = await read(subject, sites);
        const wrong = answer.sites.find(
          ({ domain }) => /^www\.|[/:?#\s]|^$/.test(domain) || domain !== domain.toLowerCase(),
        );
        demand(wrong === undefined, reply, "a bare domain", quote(wrong?.domain));
      },
    },
    {
      id: "sites.timezone",
      severity: "must",
      title: "A site's timezone is the name of an IANA zone.",
      fix: "Send names such as Europe/Berlin; an offset or an abbreviation cannot say when a day begins.",
      check: async (subject) => {
        const { reply, answer } = await read(subject, sites);
        const wrong = answer.sites.find(
          ({ timezone }) => /^[+-]/.test(timezone) || localTime(subject.clock(), timezone) === undefined,
        );
        demand(wrong === undefined, reply, "an IANA zone", quote(wrong?.timezone));
      },
    },
    {
      id: "sites.as-of-utc",
      severity: "should",
      title: "as_of of the list is in UTC.",
      fix: "The list is of no one timezone: end its as_of in Z.",
      check: async (subject) => {
        const { reply, answer } = await read(subject, sites);
        demand(/(Z|[+-]00:00)$/i.test(answer.as_of), reply, "a time that ends in Z", quote(answer.as_of));
      },
    },
    {
      id: "sites.data-since",
      severity: "must",
      title: "data_since is null or a day that has begun at the site.",
      fix: "Send the first day with data in the site's timezone, null while there is none.",
      check: async (subject) => {
        const { reply, answer } = await read(subject, sites);
        for (const { data_since, timezone, domain } of answer.sites) {
          const today = localTime(Date.parse(answer.as_of), timezone)?.slice(0, 10) ?? "9999";
          const holds = data_since === null || data_since <= today;
          demand(holds, reply, `at most ${today} for ${quote(domain)}`, quote(data_since));
        }
      },
    },
    {
      id: "sites.by-domain",
      severity: "must",
      title: "The four operations of a site accept its domain and say which site they answer about.",
      fix: "Answer with site: { id, domain } as in /sites.",
      check: async (subject) => {
        for (const operation of siteOperations) {
          const { reply } = await read(subject, operation);
          demandSite(reply, subject.site, "by its domain");
        }
      },
    },
    {
      id: "sites.by-id",
      severity: "must",
      title: "The four operations of a site accept its id.",
      fix: "Look a site up by id as well as by domain.",
      check: async (subject) => {
        for (const operation of siteOperations) {
          await read(subject, operation);
          const params = { ...basicParams(subject, operation), site: subject.site.id };
          demandSite(await subject.ask(operation.path, params), subject.site, "by its id");
        }
      },
    },
    {
      id: "sites.written-as-address",
      severity: "must",
      title: "A site may be written as an address: scheme, www., port and path are taken away.",
      fix: "Reduce https://www.example.com:443/pricing?x=1 to example.com before looking it up.",
      check: async (subject) => {
        const { domain } = subject.site;
        await demandSame(subject, [
          `https://${domain}`,
          `http://www.${domain}/`,
          `www.${domain}`,
          `${domain}/pricing?x=1#y`,
          `https://${domain}:443`,
        ]);
      },
    },
    {
      id: "sites.letter-case",
      severity: "should",
      title: "A domain is found in any letter case, and with a dot or a blank at its end.",
      fix: "Bring the domain into lower case and trim it before looking it up.",
      check: async (subject) => {
        const { domain } = subject.site;
        await demandSame(subject, [domain.toUpperCase(), `${domain}.`, ` ${domain} `]);
      },
    },
    {
      id: "sites.unknown",
      severity: "must",
      title: "A site that does not exist is 404, site_not_found, on each operation.",
      fix: "Answer 404 with the code site_not_found, never an empty 200.",
      check: async (subject) => {
        for (const operation of siteOperations) {
          const params = { ...basicParams(subject, operation), site: "conform.invalid" };
          demandRefusal(await subject.ask(operation.path, params), 404, "site_not_found");
        }
      },
    },
    {
      id: "sites.whole-name",
      severity: "must",
      title: "A site's name is compared as a whole: a longer or a shorter one is another site.",
      fix: "Compare the whole domain: no suffix, no prefix, no pattern.",
      check: async ({ ask, site, sites: own }) => {
        const names = [`conform${site.domain}`, `${site.domain}.invalid`, site.domain.slice(1), "%"];
        const strangers = names.filter(
          (name) => !own.some(({ id, domain }) => id === name || domain === name),
        );
        for (const name of strangers) {
          const reply = await ask(stats.path, { site: name });
          const isRefused = reply.status === 404 || reply.status === 400;
          demand(isRefused, reply, `status 404 for ${quote(name)}`, describeReply(reply));
        }
      },
    },
  ],
};
