import { quote } from "../../errors.ts";
import { readMember } from "../../member.ts";
import { breakdown, openapi, realtime, sites, stats, timeseries } from "../../operations/index.ts";
import { findParameters } from "../openapi-lookup.ts";
import { describeReply, items, member, type Reply } from "../reply.ts";
import { answers, askWith, demandRefusal, findRefused, ofEach, ofReplies } from "../reply-checks.ts";
import { defineSection } from "../rule.ts";
import { allOperations, basicParams, siteOperations } from "../subject.ts";
import { demand, Skip } from "../verdict.ts";
import {
  askWithout,
  demandAllowed,
  isInvalid,
  isRequired,
  isUnknown,
  parametersOf,
} from "./parameter-requests.ts";
import { valueRules } from "./parameter-values-rules.ts";

/** Any other name may be an optional parameter of a later minor version. */
const UNKNOWN = "conform_unknown";

/** What a body may ask for; the first form has the meaning of a query. */
const BODIES = [
  ["application/x-www-form-urlencoded", "days=1"],
  ["application/json", '{"days":1}'],
] as const;

export const parameters = defineSection({
  name: "params",
  title: "Parameters",
  rules: {
    "params.unknown-refused": {
      must: "An unknown parameter is refused: 400, unknown_parameter.",
      fix: "Refuse every name that the operation does not take: ignoring period=7d returns wrong numbers.",
      check: ofEach(allOperations, [{ [UNKNOWN]: "7d" }], isUnknown),
    },
    "params.foreign-refused": {
      must: "A parameter of another operation is refused like an unknown one, unless the OpenAPI document offers it.",
      fix: "Accept only the operation's own parameters: no days on /realtime, no limit on /stats.",
      check: async (subject) => {
        const foreign = [
          [sites, "site"],
          [stats, "limit"],
          [timeseries, "dimension"],
          [realtime, "days"],
        ] as const;
        const { json } = await subject.ask(openapi.path);
        for (const [operation, name] of foreign) {
          // A later minor version may offer it.
          if (findParameters(json, operation).has(name)) continue;
          isUnknown(await askWith(subject, operation, { [name]: "1" }));
        }
      },
    },
    "params.names-exact": {
      must: "Parameter names are case-sensitive: Days is unknown.",
      fix: "Compare names exactly, so that no spelling is silently ignored.",
      check: ofEach([stats], [{ Days: "7" }], isUnknown),
    },
    "params.unknown-listed": {
      must: "The error for an unknown parameter lists the operation's parameters in allowed.",
      fix: "Put the operation's parameter names into allowed of the entry.",
      check: async (subject) => {
        for (const operation of allOperations) {
          const names = parametersOf(operation).map(([name]) => name);
          demandAllowed(await askWith(subject, operation, { [UNKNOWN]: "7d" }), UNKNOWN, names);
        }
      },
    },
    "params.missing-refused": {
      must: "A missing required parameter is refused: 400, missing_parameter.",
      fix: "Require site on every operation of a site, and dimension on /breakdown.",
      check: async (subject) => {
        for (const operation of siteOperations) {
          for (const [name] of parametersOf(operation).filter(isRequired)) {
            demandRefusal(await askWithout(subject, operation, name), 400, "missing_parameter");
          }
        }
      },
    },
    "params.empty-refused": {
      must: "An empty parameter is refused: 400, invalid_parameter or missing_parameter.",
      fix: "Refuse days= and the like: an empty value is neither missing nor zero.",
      check: async (subject) => {
        for (const operation of siteOperations) {
          for (const [name] of parametersOf(operation)) {
            const reply = await askWith(subject, operation, { [name]: "" });
            demandRefusal(reply, 400, "invalid_parameter", "missing_parameter");
          }
        }
      },
    },
    "params.repeated-refused": {
      must: "A repeated parameter other than filter is refused, even with the same value: 400, invalid_parameter.",
      fix: "Read all values of a name, and refuse more than one unless the name is filter.",
      check: async (subject) => {
        for (const operation of siteOperations) {
          const basic = basicParams(subject, operation);
          for (const [name] of parametersOf(operation)) {
            const query = new URLSearchParams(
              Object.entries(basic).map(([key, value]): [string, string] => [key, String(value)]),
            );
            query.append(name, String(readMember(basic, name)));
            isInvalid(await subject.ask(operation.path, `${query}`));
          }
        }
      },
    },
    ...valueRules,
    "params.refusals-named": {
      must: "errors has an entry with name and detail for every refused parameter.",
      fix: 'Send errors: [{ "parameter": "days", "detail": "…" }] with each 400.',
      check: async (subject) => {
        const refused: [params: Record<string, string>, name: string][] = [
          [{ [UNKNOWN]: "7d" }, UNKNOWN],
          [{ days: "0" }, "days"],
          [{ days: "" }, "days"],
          [{ limit: "0" }, "limit"],
          [{ dimension: "conform" }, "dimension"],
          [{ site: "x".repeat(254) }, "site"],
        ];
        for (const [changed, name] of refused) {
          const reply = await askWith(subject, breakdown, changed);
          const entry = findRefused(reply, name);
          const isNamed = typeof member(entry, "detail") === "string";
          demand(isNamed, reply, `an entry for ${name} in errors`, quote(member(reply.json, "errors")));
        }
      },
    },
    "params.all-refusals-listed": {
      must: "If several parameters are wrong, errors lists all of them.",
      fix: "Collect all errors before answering, so that callers fix a request only once.",
      check: async ({ ask }) => {
        const reply = await ask(breakdown.path, { days: 0, limit: 0, [UNKNOWN]: 1 });
        if (reply.status !== 400)
          throw new Skip("wrong parameters are not refused: see params.unknown-refused");
        const names = ["days", "dimension", UNKNOWN, "limit", "site"];
        const missing = names.filter((name) => findRefused(reply, name) === undefined);
        const listed = items(member(reply.json, "errors")).map((entry) => member(entry, "parameter"));
        demand(missing.length === 0, reply, `entries for ${names.join(", ")}`, quote(listed));
      },
    },
    "params.precedence": {
      must: "code is the first that applies of unknown_parameter, missing_parameter and invalid_parameter.",
      fix: "Choose the code in this order after collecting all errors.",
      check: async ({ ask }) => {
        demandRefusal(await ask(breakdown.path, { days: 0, [UNKNOWN]: 1 }), 400, "unknown_parameter");
        demandRefusal(await ask(breakdown.path, { days: 0 }), 400, "missing_parameter");
      },
    },
    "params.before-site": {
      should: "Parameters are checked before the site: a wrong one gives 400 for an unknown site, too.",
      fix: "Check path, method, key, quota, parameters and site in this order.",
      check: ofReplies(() => [[stats.path, { site: "conform.invalid", days: 0 }]], answers(400)),
    },
    "params.percent-encoding": {
      must: "Names and values are percent-decoded: d%61ys=7 is days=7.",
      fix: "Decode the query as a form before comparing names.",
      check: async (subject) => {
        const domain = subject.site.domain;
        const encoded = [...domain].map((character) => `%${character.charCodeAt(0).toString(16)}`).join("");
        // An international domain would have to be encoded byte by byte; the name `d%61ys` shows the same.
        const value = /^[\x21-\x7e]+$/.test(domain) ? encoded : encodeURIComponent(domain);
        const reply = await subject.ask(stats.path, `site=${value}&d%61ys=7`);
        const days = member(reply.json, "period", "days");
        demand(reply.status === 200 && days === 7, reply, "status 200 for 7 days", describeReply(reply));
      },
    },
    "params.body-ignored": {
      must: "A request body is ignored: parameters come only from the query.",
      fix: "Do not read parameters from the body of a GET, and do not fail because of it.",
      check: async (subject) => {
        const query = { site: subject.site.domain };
        const covered = ({ status, json }: Reply) =>
          `status ${status}, period.days ${member(json, "period", "days")}`;
        const plain = await subject.ask(stats.path, query);
        for (const [type, body] of BODIES) {
          const reply = await subject.ask(stats.path, query, { body, headers: { "content-type": type } });
          demand(covered(reply) === covered(plain), reply, covered(plain), covered(reply));
        }
      },
    },
  },
});
