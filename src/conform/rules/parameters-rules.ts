import { dimensions } from "../../operations/dimensions.ts";
import { breakdown, realtime, sites, stats, timeseries } from "../../operations/index.ts";
import { type JsonSchema, parameterSchemas } from "../../operations/json-schema.ts";
import type { Operation } from "../../operations/operation.ts";
import { demandRefusal, findRefused } from "../refusal.ts";
import { describeReply, items, member, quote, type Reply } from "../reply.ts";
import type { Rule, Section } from "../rule.ts";
import { allOperations, basicParams, periodOperations, type Subject, siteOperations } from "../subject.ts";
import { demand, Skip } from "../verdict.ts";

/** The usual question with a parameter more, or another value for one. */
function askWith(subject: Subject, operation: Operation, changed: Record<string, string>): Promise<Reply> {
  return subject.ask(operation.path, { ...basicParams(subject, operation), ...changed });
}

function askWithout(subject: Subject, operation: Operation, name: string): Promise<Reply> {
  const { [name]: _, ...rest } = basicParams(subject, operation);
  return subject.ask(operation.path, rest);
}

const parametersOf = ({ params }: Operation) => [...parameterSchemas(params)];
const isRequired = ([, schema]: [string, JsonSchema]) => schema.default === undefined;

/** Values of one parameter that must be refused as invalid, on each operation that takes it. */
function refuses(parameter: "days" | "limit", values: string[]): Rule["check"] {
  return async (subject) => {
    for (const operation of parameter === "days" ? periodOperations : [breakdown]) {
      for (const value of values) {
        demandRefusal(await askWith(subject, operation, { [parameter]: value }), 400, "invalid_parameter");
      }
    }
  };
}

/** Values of one parameter that must be accepted. */
function accepts(parameter: "days" | "limit", values: string[]): Rule["check"] {
  return async (subject) => {
    for (const operation of parameter === "days" ? periodOperations : [breakdown]) {
      for (const value of values) {
        const reply = await askWith(subject, operation, { [parameter]: value });
        demand(reply.status === 200, reply, "status 200", describeReply(reply));
      }
    }
  };
}

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

/** A service may allow more than the contract's values. */
function demandAllowed(reply: Reply, parameter: string, values: readonly string[]): void {
  const allowed = items(member(findEntry(reply, parameter), "allowed"));
  const missing = values.filter((each) => !allowed.includes(each));
  demand(missing.length === 0, reply, `allowed: ${quote(values)} for ${parameter}`, quote(allowed));
}

const WRONG_NUMBERS = ["seven", "1.5", "1e1", "-1", "+7", "07", "7d"];

export const parameters: Section = {
  name: "params",
  title: "Parameters",
  rules: [
    {
      id: "params.unknown-refused",
      severity: "must",
      title: "A parameter that nobody knows is refused: 400, unknown_parameter.",
      fix: "Refuse every name that the operation does not take: an ignored period=7d is a wrong number.",
      check: async (subject) => {
        for (const operation of allOperations) {
          demandRefusal(await askWith(subject, operation, { period: "7d" }), 400, "unknown_parameter");
        }
      },
    },
    {
      id: "params.foreign-refused",
      severity: "must",
      title: "A parameter of another operation is refused like an unknown one.",
      fix: "Let each operation know its own parameters alone: no days on /realtime, no limit on /stats.",
      check: async (subject) => {
        const foreign = [
          [sites, "site"],
          [stats, "limit"],
          [timeseries, "dimension"],
          [realtime, "days"],
        ] as const;
        for (const [operation, name] of foreign) {
          demandRefusal(await askWith(subject, operation, { [name]: "1" }), 400, "unknown_parameter");
        }
      },
    },
    {
      id: "params.names-exact",
      severity: "must",
      title: "The names of parameters are exact: Days is unknown.",
      fix: "Compare names with regard to case, so that no spelling is silently ignored.",
      check: async (subject) => {
        demandRefusal(await askWith(subject, stats, { Days: "7" }), 400, "unknown_parameter");
      },
    },
    {
      id: "params.unknown-listed",
      severity: "must",
      title: "The refusal of an unknown parameter lists the operation's parameters as allowed.",
      fix: "Put the names that the operation takes into allowed of the parameter's entry.",
      check: async (subject) => {
        for (const operation of allOperations) {
          const names = parametersOf(operation).map(([name]) => name);
          demandAllowed(await askWith(subject, operation, { period: "7d" }), "period", names);
        }
      },
    },
    {
      id: "params.missing-refused",
      severity: "must",
      title: "A required parameter that is missing is refused: 400, missing_parameter.",
      fix: "Require site on the four operations of a site, and dimension on /breakdown.",
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
      severity: "must",
      title: "An empty parameter is refused: 400, invalid_parameter.",
      fix: "Refuse days= and the like; an empty value is neither absent nor zero.",
      check: async (subject) => {
        for (const operation of siteOperations) {
          for (const [name] of parametersOf(operation)) {
            demandRefusal(await askWith(subject, operation, { [name]: "" }), 400, "invalid_parameter");
          }
        }
      },
    },
    {
      id: "params.repeated-refused",
      severity: "must",
      title: "A parameter that is given twice is refused, with the same value too: 400, invalid_parameter.",
      fix: "Read all values of a name and refuse more than one.",
      check: async (subject) => {
        for (const operation of siteOperations) {
          const usual = basicParams(subject, operation);
          for (const [name] of parametersOf(operation)) {
            const query = new URLSearchParams(
              Object.entries(usual).map(([key, value]): [string, string] => [key, String(value)]),
            );
            query.append(name, String(usual[name]));
            demandRefusal(await subject.ask(operation.path, `${query}`), 400, "invalid_parameter");
          }
        }
      },
    },
    {
      id: "params.days-bounds",
      severity: "must",
      title: "days below 1 and above 365 are refused, never clamped: 400, invalid_parameter.",
      fix: "Refuse what is out of bounds: a clamped period is another question's answer.",
      check: refuses("days", ["0", "366"]),
    },
    {
      id: "params.days-form",
      severity: "must",
      title: "days is plain decimal digits: no sign, no leading zero, no fraction, no unit.",
      fix: "Match the text against digits before it becomes a number: most parsers take 7d, 1e1 or 07.",
      check: async (subject) => {
        await refuses("days", ["7d"])(subject);
        for (const days of WRONG_NUMBERS) {
          demandRefusal(await askWith(subject, stats, { days }), 400, "invalid_parameter");
        }
      },
    },
    {
      id: "params.days-inclusive",
      severity: "must",
      title: "days accepts its bounds: 1 and 365.",
      fix: "Count both bounds as allowed.",
      check: accepts("days", ["1", "365"]),
    },
    {
      id: "params.limit-bounds",
      severity: "must",
      title: "limit below 1 and above 1000 is refused, never clamped: 400, invalid_parameter.",
      fix: "Refuse what is out of bounds, with the bounds in the answer.",
      check: refuses("limit", ["0", "1001"]),
    },
    {
      id: "params.limit-form",
      severity: "must",
      title: "limit is plain decimal digits: no sign, no leading zero, no fraction.",
      fix: "Match the text against digits before it becomes a number.",
      check: refuses("limit", WRONG_NUMBERS),
    },
    {
      id: "params.limit-inclusive",
      severity: "must",
      title: "limit accepts its bounds: 1 and 1000.",
      fix: "Count both bounds as allowed.",
      check: accepts("limit", ["1", "1000"]),
    },
    {
      id: "params.dimension-refused",
      severity: "must",
      title: "A dimension that does not exist is refused: 400, invalid_parameter.",
      fix: "Refuse what is none of the contract's dimensions; answer no empty list.",
      check: async (subject) => {
        const reply = await askWith(subject, breakdown, { dimension: "conform" });
        demandRefusal(reply, 400, "invalid_parameter");
      },
    },
    {
      id: "params.dimension-listed",
      severity: "must",
      title: "The refusal of a dimension lists the allowed ones, all of the contract's among them.",
      fix: "Put the names of the dimensions into allowed of the parameter's entry.",
      check: async (subject) => {
        const reply = await askWith(subject, breakdown, { dimension: "conform" });
        demandAllowed(reply, "dimension", dimensions);
      },
    },
    {
      id: "params.site-length",
      severity: "must",
      title: "A site of more than 253 characters is refused: 400, invalid_parameter.",
      fix: "Bound the parameter's length before anything is looked up.",
      check: async (subject) => {
        for (const operation of siteOperations) {
          const reply = await askWith(subject, operation, { site: "x".repeat(254) });
          demandRefusal(reply, 400, "invalid_parameter");
        }
      },
    },
    {
      id: "params.bounds-listed",
      severity: "must",
      title: "The refusal of days, limit or site lists the bounds as minimum and maximum.",
      fix: "Put minimum and maximum into the parameter's entry; for site they are lengths.",
      check: async (subject) => {
        demandBounds(await askWith(subject, stats, { days: "0" }), "days", 1, 365);
        demandBounds(await askWith(subject, breakdown, { limit: "0" }), "limit", 1, 1000);
        demandBounds(await askWith(subject, stats, { site: "x".repeat(254) }), "site", 1, 253);
      },
    },
    {
      id: "params.refusals-named",
      severity: "must",
      title: "Every refused parameter is an entry of errors with its name and a detail.",
      fix: 'Send errors: [{ "parameter": "days", "detail": "…" }] with each 400.',
      check: async (subject) => {
        const refused = [
          [{ period: "7d" }, "period"],
          [{ days: "0" }, "days"],
          [{ days: "" }, "days"],
          [{ limit: "0" }, "limit"],
          [{ dimension: "conform" }, "dimension"],
          [{ site: "x".repeat(254) }, "site"],
        ] as const;
        for (const [changed, name] of refused) {
          const reply = await askWith(subject, breakdown, changed as Record<string, string>);
          const entry = findRefused(reply, name);
          const isNamed = typeof member(entry, "detail") === "string";
          demand(isNamed, reply, `an entry for ${name} in errors`, quote(member(reply.json, "errors")));
        }
      },
    },
    {
      id: "params.all-refusals-listed",
      severity: "must",
      title: "Where several parameters are wrong, errors lists all of them.",
      fix: "Collect every refusal before answering, so that a caller mends a request once.",
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
      severity: "must",
      title: "code is the first that applies of unknown_parameter, missing_parameter, invalid_parameter.",
      fix: "Choose the code after all refusals are known, in this order.",
      check: async ({ ask }) => {
        demandRefusal(await ask(breakdown.path, { days: 0, extra: 1 }), 400, "unknown_parameter");
        demandRefusal(await ask(breakdown.path, { days: 0 }), 400, "missing_parameter");
      },
    },
    {
      id: "params.before-site",
      severity: "should",
      title: "Parameters are looked at before the site: a wrong one is a 400 on an unknown site too.",
      fix: "Look at path, method, key, quota, parameters and site, in this order.",
      check: async ({ ask }) => {
        const reply = await ask(stats.path, { site: "conform.invalid", days: 0 });
        demand(reply.status === 400, reply, "status 400", describeReply(reply));
      },
    },
    {
      id: "params.percent-encoding",
      severity: "must",
      title: "Names and values are percent-decoded: d%61ys=7 is days=7.",
      fix: "Decode the query as a form before names are compared.",
      check: async (subject) => {
        const domain = subject.site.domain;
        const encoded = [...domain].map((each) => `%${each.charCodeAt(0).toString(16)}`).join("");
        // An international domain would need its bytes; the name of the parameter shows the same.
        const value = /^[\x21-\x7e]+$/.test(domain) ? encoded : encodeURIComponent(domain);
        const reply = await subject.ask(stats.path, `site=${value}&d%61ys=7`);
        const days = member(reply.json, "period", "days");
        demand(reply.status === 200 && days === 7, reply, "status 200 for 7 days", describeReply(reply));
      },
    },
    {
      id: "params.body-ignored",
      severity: "must",
      title: "A request body is ignored: parameters come from the query alone.",
      fix: "Read nothing from the body of a GET, and let it disturb nothing.",
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
};
