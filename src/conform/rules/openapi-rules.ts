import { quote } from "../../errors.ts";
import { type AnyOperation, openapi, operations } from "../../operations/index.ts";
import { type JsonSchema, parameterSchemas } from "../../operations/json-schema.ts";
import { findParameters, findPath, resolve } from "../openapi-lookup.ts";
import { items, member, type Reply } from "../reply.ts";
import { needsKey, ofAnswers } from "../reply-checks.ts";
import { defineSection } from "../rule.ts";
import { allOperations } from "../subject.ts";
import { demand, Skip } from "../verdict.ts";

/** A keyword in a parameter's schema or in a part of it. */
function findKeyword(document: unknown, schema: unknown, keyword: string): unknown {
  const own = resolve(document, schema);
  const parts = [...items(member(own, "allOf")), ...items(member(own, "anyOf"))];
  const found = parts.map((part) => findKeyword(document, part, keyword));
  return member(own, keyword) ?? found.find((value) => value !== undefined);
}

/** Checks each operation that the document describes. */
const ofEach = (check: (document: unknown, operation: AnyOperation, reply: Reply) => void) =>
  ofAnswers([openapi], ({ reply }) => {
    // A missing path is a separate rule.
    const described = operations.filter((each) => member(findPath(reply.json, each), "get") !== undefined);
    for (const operation of described) check(reply.json, operation, reply);
  });

const BOUNDS = ["minimum", "maximum", "minLength", "maxLength", "default"] as const;

/** A bound of whole numbers may be written exclusively: above 0 is at least 1. */
function findBound(document: unknown, schema: unknown, keyword: (typeof BOUNDS)[number]): unknown {
  const found = findKeyword(document, schema, keyword);
  if (found !== undefined || (keyword !== "minimum" && keyword !== "maximum")) return found;
  const isMinimum = keyword === "minimum";
  const exclusive = findKeyword(document, schema, isMinimum ? "exclusiveMinimum" : "exclusiveMaximum");
  return typeof exclusive === "number" ? exclusive + (isMinimum ? 1 : -1) : undefined;
}

function describeBounds(
  document: unknown,
  described: unknown,
  schema: JsonSchema,
): { expected: string; seen: string } | undefined {
  for (const keyword of BOUNDS) {
    const [expected, seen] = [schema[keyword], findBound(document, member(described, "schema"), keyword)];
    if (expected !== undefined && expected !== seen) {
      return { expected: `${keyword}: ${expected}`, seen: `${keyword}: ${quote(seen)}` };
    }
  }
  const values = items(findKeyword(document, member(described, "schema"), "enum"));
  const missing = (schema.enum ?? []).find((value) => !values.includes(value));
  return missing === undefined ? undefined : { expected: `${quote(missing)} in enum`, seen: quote(values) };
}

export const openapiSection = defineSection({
  name: "openapi",
  title: "OpenAPI document",
  rules: {
    "openapi.version": {
      must: "The document is OpenAPI 3.1.",
      fix: "Write the document for OpenAPI 3.1, whose schemas are JSON Schema 2020-12.",
      check: ofAnswers([openapi], ({ reply, answer }) =>
        demand(/^3\.1\.\d+$/.test(answer.openapi), reply, '"3.1.x"', quote(answer.openapi)),
      ),
    },
    "openapi.needs-key": {
      must: "The document requires a key, like every operation.",
      fix: "Answer 401 without a key here, too.",
      check: needsKey(openapi.path),
    },
    "openapi.paths": {
      must: "It describes GET of every path.",
      fix: `Describe ${allOperations.map(({ path }) => path).join(", ")}.`,
      check: ofAnswers([openapi], ({ reply }) => {
        const paths = Object.keys(Object(member(reply.json, "paths")));
        for (const operation of allOperations) {
          const get = member(findPath(reply.json, operation), "get");
          demand(typeof get === "object", reply, `get of ${operation.path}`, quote(paths));
        }
      }),
    },
    "openapi.read-only": {
      must: "It describes no methods except GET and HEAD on these paths.",
      fix: "Offer no operation that writes under this contract.",
      check: ofEach((document, operation, reply) => {
        const methods = Object.keys(Object(findPath(document, operation)));
        const wrong = methods.find((method) => /^(post|put|patch|delete)$/.test(method));
        demand(wrong === undefined, reply, `only get of ${operation.path}`, quote(methods));
      }),
    },
    "openapi.parameters": {
      must: "It describes each operation's query parameters from the contract, and marks required ones as required.",
      fix: "Describe site, days, dimension and limit wherever the contract has them.",
      check: ofEach((document, operation, reply) => {
        const described = findParameters(document, operation);
        for (const [name, schema] of parameterSchemas(operation.params)) {
          const isRequired = schema.default === undefined;
          const parameter = described.get(name);
          const expected = `${isRequired ? "a required" : "an optional"} query parameter ${name} of ${operation.path}`;
          const holds = parameter !== undefined && (member(parameter, "required") ?? false) === isRequired;
          demand(holds, reply, expected, quote(parameter ?? [...described.keys()]));
        }
      }),
    },
    "openapi.bounds": {
      must: "Its parameters have the contract's bounds, defaults and dimensions.",
      fix: "Add minimum, maximum, default and enum to the parameters' schemas.",
      check: ofEach((document, operation, reply) => {
        const described = findParameters(document, operation);
        for (const [name, schema] of parameterSchemas(operation.params)) {
          if (!described.has(name)) throw new Skip("a parameter is not described: see openapi.parameters");
          const wrong = describeBounds(document, described.get(name), schema);
          demand(
            wrong === undefined,
            reply,
            `${wrong?.expected} for ${name} of ${operation.path}`,
            `${wrong?.seen}`,
          );
        }
      }),
    },
    "openapi.dates": {
      must: "Where it describes from or to, it describes both, and neither is required.",
      fix: "Describe from and to as optional parameters: days is the default, and one of the two alone is refused.",
      check: ofEach((document, operation, reply) => {
        const described = findParameters(document, operation);
        const dates = ["from", "to"].filter((name) => described.has(name));
        if (dates.length === 0) return;
        const required = dates.filter((name) => member(described.get(name), "required") === true);
        const holds = dates.length === 2 && required.length === 0;
        const seen = required.length > 0 ? `${required.join(" and ")} required` : `only ${dates.join()}`;
        demand(holds, reply, `from and to of ${operation.path}, both optional`, seen);
      }),
    },
    "openapi.filter": {
      must: "Where it describes filter, it is an optional array of texts, in the style form and exploded: repeated.",
      fix: "Describe filter with style: form, explode: true and a schema of the type array, and do not require it.",
      check: ofEach((document, operation, reply) => {
        const filter = findParameters(document, operation).get("filter");
        if (filter === undefined) return;
        const { required = false, style = "form", explode = true } = Object(filter);
        const type = findKeyword(document, member(filter, "schema"), "type");
        const expected = quote({ required: false, style: "form", explode: true, type: "array" });
        const seen = quote({ required, style, explode, type });
        demand(seen === expected, reply, `${expected} for filter of ${operation.path}`, seen);
      }),
    },
    "openapi.interval": {
      must: "Where it describes interval, it is optional, and day and hour are among its values.",
      fix: "Describe interval with an enum of day and hour, and do not require it.",
      check: ofEach((document, operation, reply) => {
        const interval = findParameters(document, operation).get("interval");
        if (interval === undefined) return;
        const values = items(findKeyword(document, member(interval, "schema"), "enum"));
        const isOptional = member(interval, "required") !== true;
        const holds = isOptional && ["day", "hour"].every((value) => values.includes(value));
        const expected = `an optional interval of ${operation.path}, of "day" and "hour"`;
        demand(holds, reply, expected, quote(interval));
      }),
    },
    "openapi.security": {
      must: "It declares that each operation requires a Bearer key.",
      fix: "Declare a security scheme of type http and scheme bearer, and require it everywhere.",
      check: ofEach((document, operation, reply) => {
        const schemes = member(document, "components", "securitySchemes");
        const required = items(
          member(findPath(document, operation), "get", "security") ?? member(document, "security"),
        );
        const isBearer = (name: string) => {
          const scheme = resolve(document, member(schemes, name));
          return (
            member(scheme, "type") === "http" && String(member(scheme, "scheme")).toLowerCase() === "bearer"
          );
        };
        const holds =
          required.length > 0 &&
          required.every((requirement) => Object.keys(Object(requirement)).some(isBearer));
        demand(holds, reply, `an http bearer scheme for ${operation.path}`, quote(required));
      }),
    },
    "openapi.errors": {
      should: "It describes the errors 400 and 401 of each operation, and 404 if the operation takes a site.",
      fix: "Describe each status as application/problem+json.",
      check: ofEach((document, operation, reply) => {
        const responses = Object.keys(Object(member(findPath(document, operation), "get", "responses")));
        const wanted = ["400", "401", ...("site" in operation.params.shape ? ["404"] : [])];
        const missing = wanted.find(
          (status) =>
            !responses.includes(status) && !responses.includes("4XX") && !responses.includes("default"),
        );
        demand(missing === undefined, reply, `status ${missing} of ${operation.path}`, quote(responses));
      }),
    },
  },
});
