import { sites, stats } from "../../operations/index.ts";
import type { Ask } from "../probe.ts";
import { describeReply, member, type Reply } from "../reply.ts";
import { answers, ofReplies, type Request } from "../reply-checks.ts";
import { defineSection } from "../rule.ts";
import { basicParams, dataOperations, type Subject } from "../subject.ts";
import { demand, Skip } from "../verdict.ts";

/** The basic query of each operation; without a site, only that of /sites. */
const askAll = (subject: Subject, how: Ask): Request[] =>
  (subject.hasSite ? dataOperations : [sites]).map((operation) => [
    operation.path,
    basicParams(subject, operation),
    how,
  ]);

const askSites = (...hows: Ask[]) => hows.map((how): Request => [sites.path, "", how]);

/** The names under which services take a key from the query, the standard one first (RFC 6750, section 2.3). */
const QUERY_KEYS = ["access_token", "api_key", "apikey", "key", "token"];

export const authorization = defineSection({
  name: "auth",
  title: "Authorization",
  rules: {
    "auth.missing-key": {
      must: "Every operation refuses a request without a key: 401, missing_api_key.",
      fix: "Check the Authorization header before reading any data.",
      check: ofReplies((subject) => askAll(subject, { key: null }), answers(401, "missing_api_key")),
    },
    "auth.wrong-key": {
      must: "Every operation refuses a key that does not exist: 401, invalid_api_key.",
      fix: "Answer 401 to an unknown or revoked key, never 403, 404 or data.",
      check: ofReplies(
        (subject) => askAll(subject, { key: subject.keys.wrong }),
        answers(401, "invalid_api_key"),
      ),
    },
    "auth.whole-key": {
      must: "A key is compared as a whole: with one character more, less or changed, or in another letter case, it is refused with 401.",
      fix: "Compare the whole key (its hash, in constant time), never a prefix, and never without case.",
      check: ofReplies(({ keys }) => {
        const keyed = [keys.longer, keys.shorter, keys.changed, keys.recased].filter(
          (key) => key !== undefined,
        );
        return askSites(...keyed.map((key) => ({ key })));
      }, answers(401)),
    },
    "auth.challenge": {
      must: "Every 401 has WWW-Authenticate: Bearer.",
      fix: "Send WWW-Authenticate: Bearer with each 401 (RFC 9110, section 15.5.2; RFC 6750).",
      check: async ({ ask, keys }) => {
        for (const key of [null, keys.wrong]) {
          const reply = await ask(sites.path, "", { key });
          if (reply.status !== 401) throw new Skip("no request was answered with 401: see auth.missing-key");
          const challenge = reply.headers.get("www-authenticate");
          const isBearer = /(^|,\s*)bearer(\s|,|$)/i.test(challenge ?? "");
          demand(isBearer, reply, "WWW-Authenticate: Bearer", challenge ?? "no WWW-Authenticate");
        }
      },
    },
    "auth.other-scheme": {
      must: "An Authorization header with another scheme, or without a key, is refused with 401.",
      fix: "Accept only the scheme Bearer followed by one key, even if the key after another scheme is right.",
      check: ofReplies(
        ({ keys }) =>
          askSites(
            ...["Token", "ApiKey", "Basic"].map((scheme) => ({ key: { ...keys.own, scheme } })),
            ...["Basic Y29uZm9ybTpjb25mb3Jt", "Bearer", "conform"].map((authorization) => ({
              key: null,
              headers: { authorization },
            })),
          ),
        answers(401),
      ),
    },
    "auth.key-in-query": {
      must: "A key in the query string does not count: without the Authorization header, the answer is 401.",
      fix: "Read the key from the Authorization header alone: addresses end up in logs, histories and referrers.",
      check: ofReplies(
        ({ keys }) =>
          QUERY_KEYS.map((name) => [
            sites.path,
            `${name}=${encodeURIComponent(keys.own.value)}`,
            { key: null },
          ]),
        // A service that checks parameters first refuses the name: see auth.before-parameters.
        (reply) => demand([400, 401].includes(reply.status), reply, "status 401", describeReply(reply)),
      ),
    },
    "auth.scheme-case": {
      should: "The scheme is not case-sensitive: bearer means Bearer.",
      fix: "Ignore case when comparing the scheme (RFC 9110, section 11.1).",
      check: ofReplies(
        // In `headers`, the key would appear in the report.
        ({ keys }) => askSites({ key: { ...keys.own, scheme: "bearer" } }),
        answers(200),
      ),
    },
    "auth.reveals-nothing": {
      must: "Without a valid key, an existing site answers exactly like one that does not exist.",
      fix: "Check the key before looking up the site.",
      check: async ({ ask, keys, site }) => {
        for (const key of [null, keys.wrong]) {
          const real = await ask(stats.path, { site: site.domain }, { key });
          const none = await ask(stats.path, { site: "conform.invalid" }, { key });
          const look = ({ status, json }: Reply) =>
            `status ${status}, code ${member(json, "code")}, ${member(json, "detail")}`;
          demand(look(real) === look(none), real, look(none), look(real));
        }
      },
    },
    "auth.before-parameters": {
      should: "The key is checked before the parameters: without a key, a wrong parameter still gives 401.",
      fix: "Check path, method, key, quota, parameters and site in this order.",
      check: ofReplies(() => [[stats.path, { days: 0 }, { key: null }]], answers(401)),
    },
  },
});
