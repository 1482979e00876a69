import { dimensions } from "../../operations/dimensions.ts";
import { breakdown, realtime, sites, stats, timeseries } from "../../operations/index.ts";
import { type JsonSchema, parameterSchemas } from "../../operations/json-schema.ts";
import type { Operation } from "../../operations/operation.ts";
import { describeReply, items, member, quote, type Reply } from "../reply.ts";
import { demandRefusal, demandStatus, findRefused } from "../reply-checks.ts";
import { defineSection, type Rule } from "../rule.ts";
import { allOperations, basicParams, periodOperations, type Subject, siteOperations } from "../subject.ts";
import { demand, Skip } from "../verdict.ts";

/** Sends the basic query with parameters added or changed. */
function askWith(subject: Subject, operation: Operation, changed: Record<string, string>): Promise<Reply> {
  return subject.ask(operation.path, { ...basicParams(subject, operation), ...changed });
}

function askWithout(subject: Subject, operation: Operation, name: string): Promise<Reply> {
  const { [name]: _, ...rest } = basicParams(subject, operation);
  return subject.ask(operation.path, rest);
}

const parametersOf = ({ params }: Operation) => [...parameterSchemas(params)];
const isRequired = ([, schema]: [string, JsonSchema]) => schema.default === undefined;

/** Checks the answers of each operation to the basic query with these changes, one after the other. */
function ofEach(
  asked: readonly Operation[],
  changes: Record<string, string>[],
  check: (reply: Reply) => void,
): Rule["check"] {
  return async (subject) => {
    for (const operation of asked) {
      for (const changed of changes) check(await askWith(subject, operation, changed));
    }
  };
}

const isInvalid = (reply: Reply) => demandRefusal(reply, 400, "invalid_parameter");
const isUnknown = (reply: Reply) => demandRefusal(reply, 400, "unknown_parameter");
const isAccepted = (reply: Reply) => demandStatus(reply, 200);
const days = (...values: string[]) => values.map((value) => ({ days: value }));
const limits = (...values: string[]) => values.map((value) => ({ limit: value }));

function findEntry(reply: Reply, parameter: string): unknown {
  const entry = findRefused(reply, parameter);
  if (entry === undefined) throw new Skip("errors does not name the parameter: see params.refusals-named");
  return entry;
}

function demandBounds(reply: Reply, parameter: string, minimum: number, maximum: number): void {
  const entry = findEntry(reply, parameter);
  demand(
    member(entry, "minimum") === minimum && member(entry, "maximum") === maximum,
    reply,
    `minimum ${minimum} and maximum ${maximum} for ${parameter}`,
    quote(entry),
  );
}

/** Demands that these values are allowed. A service may allow more. */
function demandAllowed(reply: Reply, parameter: string, values: readonly string[]): void {
  const allowed = items(member(findEntry(reply, parameter), "allowed"));
  const missing = values.filter((each) => !allowed.includes(each));
  demand(missing.length === 0, reply, `allowed: ${quote(values)} for ${parameter}`, quote(allowed));
}

const WRONG_NUMBERS = ["seven", "1.5", "1e1", "-1", "+7", "07", "7d"];

export const parameters = defineSection({
  name: "params",
  title: "Parameters",
  rules: [
    {
      id: "params.unknown-refused",
      title: "An unknown parameter is refused: 400, unknown_parameter.",
      fix: "Refuse every name that the operation does not take: ignoring period=7d returns wrong numbers.",
      check: ofEach(allOperations, [{ period: "7d" }], isUnknown),
    },
    {
      id: "params.foreign-refused",
      title: "A parameter of another operation is refused like an unknown one.",
      fix: "Accept only the operation's own parameters: no days on /realtime, no limit on /stats.",
      check: async (subject) => {
        const foreign = [
          [sites, "site"],
          [stats, "limit"],
          [timeseries, "dimension"],
          [realtime, "days"],
        ] as const;
        for (const [operation, name] of foreign) {
          isUnknown(await askWith(subject, operation, { [name]: "1" }));
        }
      },
    },
    {
      id: "params.names-exact",
      title: "Parameter names are case-sensitive: Days is unknown.",
      fix: "Compare names exactly, so that no spelling is silently ignored.",
      check: ofEach([stats], [{ Days: "7" }], isUnknown),
    },
    {
      id: "params.unknown-listed",
      title: "The error for an unknown parameter lists the operation's parameters in allowed.",
      fix: "Put the operation's parameter names into allowed of the entry.",
      check: async (subject) => {
        for (const operation of allOperations) {
          const names = parametersOf(operation).map(([name]) => name);
          demandAllowed(await askWith(subject, operation, { period: "7d" }), "period", names);
        }
      },
    },
    {
      id: "params.missing-refused",
      title: "A missing required parameter is refused: 400, missing_parameter.",
      fix: "Require site on every operation of a site, and dimension on /breakdown.",
      check: async (subject) => {
        for (const operation of siteOperations) {
          for (const [name] of parametersOf(operation).filter(isRequired)) {
            demandRefusal(await askWithout(subject, operation, name), 400, "missing_parameter");
          }
        }
      },
    },
    {
      id: "params.empty-refused",
      title: "An empty parameter is refused: 400, invalid_parameter.",
      fix: "Refuse days= and the like: an empty value is neither missing nor zero.",
      check: async (subject) => {
        for (const operation of siteOperations) {
          for (const [name] of parametersOf(operation)) {
            isInvalid(await askWith(subject, operation, { [name]: "" }));
          }
        }
      },
    },
    {
      id: "params.repeated-refused",
      title: "A repeated parameter is refused, even with the same value: 400, invalid_parameter.",
      fix: "Read all values of a name, and refuse more than one.",
      check: async (subject) => {
        for (const operation of siteOperations) {
          const basic = basicParams(subject, operation);
          for (const [name] of parametersOf(operation)) {
            const query = new URLSearchParams(
              Object.entries(basic).map(([key, value]): [string, string] => [key, String(value)]),
            );
            query.append(name, String(basic[name]));
            isInvalid(await subject.ask(operation.path, `${query}`));
          }
        }
      },
    },
    {
      id: "params.days-bounds",
      title: "days below 1 or above 365 is refused, never clamped: 400, invalid_parameter.",
      fix: "Refuse values out of bounds: a clamped period answers a different question.",
      check: ofEach(periodOperations, days("0", "366"), isInvalid),
    },
    {
      id: "params.days-form",
      title: "days is only decimal digits: no sign, leading zero, fraction or unit.",
      fix: "Check that the text is only digits before parsing it: most parsers accept 7d, 1e1 or 07.",
      check: async (subject) => {
        await ofEach(periodOperations, days("7d"), isInvalid)(subject);
        await ofEach([stats], days(...WRONG_NUMBERS), isInvalid)(subject);
      },
    },
    {
      id: "params.days-inclusive",
      title: "days accepts its bounds, 1 and 365.",
      fix: "Count both bounds as allowed.",
      check: ofEach(periodOperations, days("1", "365"), isAccepted),
    },
    {
      id: "params.limit-bounds",
      title: "limit below 1 or above 1000 is refused, never clamped: 400, invalid_parameter.",
      fix: "Refuse values out of bounds, and list the bounds in the error.",
      check: ofEach([breakdown], limits("0", "1001"), isInvalid),
    },
    {
      id: "params.limit-form",
      title: "limit is only decimal digits: no sign, leading zero or fraction.",
      fix: "Check that the text is only digits before parsing it.",
      check: ofEach([breakdown], limits(...WRONG_NUMBERS), isInvalid),
    },
    {
      id: "params.limit-inclusive",
      title: "limit accepts its bounds, 1 and 1000.",
      fix: "Count both bounds as allowed.",
      check: ofEach([breakdown], limits("1", "1000"), isAccepted),
    },
    {
      id: "params.dimension-refused",
      title: "An unknown dimension is refused: 400, invalid_parameter.",
      fix: "Refuse the dimension; do not answer with an empty list.",
      check: ofEach([breakdown], [{ dimension: "conform" }], isInvalid),
    },
    {
      id: "params.dimension-listed",
      title: "The error for an unknown dimension lists the allowed ones, including all of the contract's.",
      fix: "Put the names of the dimensions into allowed of the entry.",
      check: ofEach([breakdown], [{ dimension: "conform" }], (reply) =>
        demandAllowed(reply, "dimension", dimensions),
      ),
    },
    {
      id: "params.site-length",
      title: "A site of more than 253 characters is refused: 400, invalid_parameter.",
      fix: "Check the length before looking up the site.",
      check: ofEach(siteOperations, [{ site: "x".repeat(254) }], isInvalid),
    },
    {
      id: "params.bounds-listed",
      title: "The error for days, limit or site lists the bounds as minimum and maximum.",
      fix: "Put minimum and maximum into the parameter's entry. For site they are lengths.",
      check: async (subject) => {
        demandBounds(await askWith(subject, stats, { days: "0" }), "days", 1, 365);
        demandBounds(await askWith(subject, breakdown, { limit: "0" }), "limit", 1, 1000);
        demandBounds(await askWith(subject, stats, { site: "x".repeat(254) }), "site", 1, 253);
      },
    },
    {
      id: "params.refusals-named",
      title: "errors has an entry with name and detail for every refused parameter.",
      fix: 'Send errors: [{ "parameter": "days", "detail": "…" }] with each 400.',
      check: async (subject) => {
        const refused: [params: Record<string, string>, name: string][] = [
          [{ period: "7d" }, "period"],
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
    {
      id: "params.all-refusals-listed",
      title: "If several parameters are wrong, errors lists all of them.",
      fix: "Collect all errors before answering, so that callers fix a request only once.",
      check: async ({ ask }) => {
        const reply = await ask(breakdown.path, { days: 0, limit: 0, extra: 1 });
        if (reply.status !== 400)
          throw new Skip("wrong parameters are not refused: see params.unknown-refused");
        const names = ["days", "dimension", "extra", "limit", "site"];
        const missing = names.filter((name) => findRefused(reply, name) === undefined);
        const listed = items(member(reply.json, "errors")).map((each) => member(each, "parameter"));
        demand(missing.length === 0, reply, `entries for ${names.join(", ")}`, quote(listed));
      },
    },
    {
      id: "params.precedence",
      title: "code is the first that applies of unknown_parameter, missing_parameter and invalid_parameter.",
      fix: "Choose the code in this order after collecting all errors.",
      check: async ({ ask }) => {
        demandRefusal(await ask(breakdown.path, { days: 0, extra: 1 }), 400, "unknown_parameter");
        demandRefusal(await ask(breakdown.path, { days: 0 }), 400, "missing_parameter");
      },
    },
    {
      id: "params.before-site",
      severity: "should",
      title: "Parameters are checked before the site: a wrong one gives 400 for an unknown site, too.",
      fix: "Check path, method, key, quota, parameters and site in this order.",
      check: async ({ ask }) => {
        demandStatus(await ask(stats.path, { site: "conform.invalid", days: 0 }), 400);
      },
    },
    {
      id: "params.percent-encoding",
      title: "Names and values are percent-decoded: d%61ys=7 is days=7.",
      fix: "Decode the query as a form before comparing names.",
      check: async (subject) => {
        const domain = subject.site.domain;
        const encoded = [...domain].map((each) => `%${each.charCodeAt(0).toString(16)}`).join("");
        // An international domain would have to be encoded byte by byte; the name `d%61ys` shows the same.
        const value = /^[\x21-\x7e]+$/.test(domain) ? encoded : encodeURIComponent(domain);
        const reply = await subject.ask(stats.path, `site=${value}&d%61ys=7`);
        const days = member(reply.json, "period", "days");
        demand(reply.status === 200 && days === 7, reply, "status 200 for 7 days", describeReply(reply));
      },
    },
    {
      id: "params.body-ignored",
      title: "A request body is ignored: parameters come only from the query.",
      fix: "Do not read parameters from the body of a GET, and do not fail because of it.",
      check: async (subject) => {
        const [body, headers] = ['{"days":1}', { "content-type": "application/json" }];
        const query = { site: subject.site.domain };
        const covered = ({ status, json }: Reply) =>
          `status ${status}, period.days ${member(json, "period", "days")}`;
        const plain = await subject.ask(stats.path, query);
        const reply = await subject.ask(stats.path, query, { body, headers });
        demand(covered(reply) === covered(plain), reply, covered(plain), covered(reply));
      },
    },
  ],
});
