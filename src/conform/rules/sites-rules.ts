import { quote } from "../../errors.ts";
import { realtime, sites, stats } from "../../operations/index.ts";
import { normalizeSite } from "../../operations/site-name.ts";
import { localTime } from "../local-time.ts";
import { describeReply, member, type Reply } from "../reply.ts";
import { answers, ofAnswers, ofEach } from "../reply-checks.ts";
import { demandOnce } from "../row-checks.ts";
import { defineSection } from "../rule.ts";
import { sampleSites } from "../site-sample.ts";
import { basicParams, read, type Subject, siteOperations } from "../subject.ts";
import type { Site } from "../survey.ts";
import { demand } from "../verdict.ts";

/** Demands that every spelling finds the site. */
async function demandSame({ ask, site }: Subject, spellings: string[]): Promise<void> {
  for (const spelling of spellings) {
    const reply = await ask(realtime.path, { site: spelling });
    demandSite(reply, site, `for ${spelling}`);
  }
}

function demandSite(reply: Reply, { id, domain }: { id: string; domain: string }, words: string): void {
  const seen = member(reply.json, "site");
  const isSame = reply.status === 200 && member(seen, "id") === id && member(seen, "domain") === domain;
  const expected = `the site ${quote({ id, domain })} ${words}`;
  demand(isSame, reply, expected, reply.status === 200 ? `site ${quote(seen)}` : describeReply(reply));
}

/** Names that almost match a site, without those that may be another spelling of a site. */
function listNearMisses({ id, domain }: Site, own: readonly Site[]): string[] {
  const known = new Set(own.flatMap((site) => [site.id, site.domain, normalizeSite(site.id)].map(fold)));
  const changed = [domain, id].flatMap((name) => [name.slice(1), name.slice(0, -1)]);
  // A dot, slash, space or the like at an end may be cut off on purpose.
  const misses = changed.filter((name) => /^[\p{L}\p{N}].*[\p{L}\p{N}]$/u.test(name));
  const added = [`conform${domain}`, `${domain}.invalid`, `${id}0`, "%"];
  const others = [...added, ...misses, accent(domain), accent(id)]
    .filter((name) => name !== undefined)
    .filter((name) => ![name, normalizeSite(name)].some((spelling) => known.has(fold(spelling))));
  return [...others, ...recaseId(id, own)];
}

/** The name with an accent on a letter, which collations of databases often ignore; undefined without such a letter. */
function accent(name: string): string | undefined {
  const accented = name.replace(/[aeiou]/, (letter) => `${letter}\u0301`.normalize());
  return accented === name ? undefined : accented;
}

/** The id in the other letter case, unless that names a site, too. UUIDs have no letter case (RFC 9562, section 4). */
function recaseId(id: string, own: readonly Site[]): string[] {
  const recased = id === id.toUpperCase() ? id.toLowerCase() : id.toUpperCase();
  const isKnown = own.some((site) => site.id === recased || site.domain === fold(normalizeSite(recased)));
  return recased === id || isKnown || UUID.test(id) ? [] : [recased];
}

const UUID = /^[0-9a-f]{8}-?([0-9a-f]{4}-?){3}[0-9a-f]{12}$/i;

const fold = (name: string) => name.toLowerCase();

export const sitesSection = defineSection({
  name: "sites",
  title: "Sites",
  rules: {
    "sites.unique": {
      must: "No id and no domain is listed twice.",
      fix: "List each site once: its id and its domain must each be unique.",
      check: ofAnswers([sites], ({ reply, answer }) => {
        for (const key of ["id", "domain"] as const) {
          const values = answer.sites.map((site) => site[key]);
          demandOnce(values, reply, key);
        }
      }),
    },
    "sites.order": {
      should: "Sites are ordered by domain.",
      fix: "Sort by domain, so that lists can be compared.",
      check: ofAnswers([sites], ({ reply, answer }) => {
        const domains = answer.sites.map(({ domain }) => domain);
        const sorted = [...domains].sort((a, b) => (a < b ? -1 : 1));
        demand(`${domains}` === `${sorted}`, reply, quote(sorted), quote(domains));
      }),
    },
    "sites.domain-form": {
      must: "A domain is a lower-case host name without scheme, www., port or path.",
      fix: "Store only the domain, and remove everything else that people type when looking it up.",
      check: ofAnswers([sites], ({ reply, answer }) => {
        const wrong = answer.sites.find(
          ({ domain }) => /^www\.|[/:?#\s]|^$/.test(domain) || domain !== domain.toLowerCase(),
        );
        demand(wrong === undefined, reply, "a bare domain", quote(wrong?.domain));
      }),
    },
    "sites.timezone": {
      must: "A site's timezone is an IANA name.",
      fix: "Send a name such as Europe/Berlin: an offset or abbreviation does not define when a day begins.",
      check: ofAnswers([sites], ({ reply, answer }, { clock }) => {
        const wrong = answer.sites.find(
          ({ timezone }) => /^[+-]/.test(timezone) || localTime(clock(), timezone) === undefined,
        );
        demand(wrong === undefined, reply, "an IANA zone", quote(wrong?.timezone));
      }),
    },
    "sites.as-of-utc": {
      should: "as_of of /sites is in UTC.",
      fix: "The list has no single timezone, so end as_of with Z.",
      check: ofAnswers([sites], ({ reply, answer }) => {
        demand(/(Z|[+-]00:00)$/i.test(answer.as_of), reply, "a time that ends with Z", quote(answer.as_of));
      }),
    },
    "sites.data-since": {
      must: "data_since is null or a day that has begun at the site.",
      fix: "Send the first day with data in the site's timezone, or null if there is none yet.",
      check: ofAnswers([sites], ({ reply, answer }) => {
        for (const { data_since, timezone, domain } of answer.sites) {
          const today = localTime(Date.parse(answer.as_of), timezone)?.slice(0, 10) ?? "9999";
          const holds = data_since === null || data_since <= today;
          demand(holds, reply, `at most ${today} for ${quote(domain)}`, quote(data_since));
        }
      }),
    },
    "sites.by-domain": {
      must: "Every operation of a site accepts its domain and repeats the site in the answer.",
      fix: "Send site: { id, domain } as in /sites.",
      check: ofAnswers(siteOperations, ({ reply }, { site }) => demandSite(reply, site, "by its domain")),
    },
    "sites.by-id": {
      must: "Every operation of a site accepts its id.",
      fix: "Look up a site by id as well as by domain.",
      check: async (subject) => {
        for (const operation of siteOperations) {
          await read(subject, operation);
          const params = { ...basicParams(subject, operation), site: subject.site.id };
          demandSite(await subject.ask(operation.path, params), subject.site, "by its id");
        }
      },
    },
    "sites.listed-answered": {
      must: "Every listed site gets an answer, not only the one used for the other rules.",
      fix: "Accept the domain of every site in /sites.",
      check: async (subject) => {
        const [, ...others] = sampleSites(subject);
        for (const site of others) {
          const { reply } = await read(subject, stats, { site: site.domain });
          demandSite(reply, site, "by its domain");
        }
      },
    },
    "sites.written-as-address": {
      must: "A site may be given as an address: scheme, www., port and path are ignored.",
      fix: "Reduce https://www.example.com:443/pricing to example.com before looking it up.",
      check: async (subject) => {
        const { domain } = subject.site;
        await demandSame(subject, [
          `https://${domain}`,
          `http://www.${domain}/`,
          `www.${domain}`,
          `${domain}/pricing`,
          `https://${domain}:443`,
        ]);
      },
    },
    "sites.letter-case": {
      should: "A domain is found in upper and lower case.",
      fix: "Convert the domain to lower case before looking it up.",
      check: (subject) => demandSame(subject, [subject.site.domain.toUpperCase()]),
    },
    "sites.unknown": {
      must: "A site that does not exist gives 404, site_not_found, on every operation.",
      fix: "Answer 404 with the code site_not_found, never an empty 200.",
      check: ofEach(siteOperations, [{ site: "conform.invalid" }], answers(404, "site_not_found")),
    },
    "sites.whole-name": {
      must: "A site's name is compared as a whole: a domain or id with a character more or less, or an accent, is another site, and so is an id in another letter case.",
      fix: "Compare the whole domain or id, never a suffix, prefix or pattern, and ids byte by byte: many databases ignore case and accents.",
      check: async ({ ask, site, sites: own }) => {
        for (const name of listNearMisses(site, own)) {
          const reply = await ask(stats.path, { site: name });
          const isRefused = reply.status === 404 || reply.status === 400;
          demand(isRefused, reply, `status 404 for ${quote(name)}`, describeReply(reply));
        }
      },
    },
  },
});
