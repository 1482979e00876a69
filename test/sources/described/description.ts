import type { Json, JsonObject, Meanings } from "./bodies.ts";
import type { Spelled } from "./names.ts";
import { daysAllowed, dimensionNames, MAX_DAYS, MAX_LIMIT, parametersOf, SITES_PATH } from "./parameters.ts";
import type { Shape } from "./shape.ts";

/** The service's OpenAPI document, as complete and as current as its shape says. It never lies about what a member means. */
export function buildDescription(
  shape: Shape,
  say: Spelled,
  meanings: Meanings,
  examples: Readonly<Record<string, Json>>,
): Json {
  const parameters = parametersOf(shape);
  const paths = Object.entries(examples).map(([path, example]): [string, Json] => [
    path,
    {
      get: {
        operationId: `get${path.slice(1, 2).toUpperCase()}${path.slice(2)}`,
        summary: SUMMARIES[path] ?? "",
        parameters: (parameters[path] ?? []).flatMap((name) => describeParameter(path, name, shape)),
        responses: {
          200: {
            description: "The answer",
            ...describeAnswer(path, example, shape, say, meanings),
          },
          401: { description: "The key is wrong" },
        },
      },
    },
  ]);
  // Who describes only a part leaves a path out.
  const described =
    shape.description === "incomplete" ? paths.filter(([path]) => path !== "/realtime") : paths;
  return {
    openapi: shape.openapi,
    info: { title: "Analytics API", version: "1.2.0" },
    servers: [{ url: "https://elsewhere.example/api/v1" }],
    security: [{ key: [] }],
    paths: Object.fromEntries(described),
    components: {
      securitySchemes: { key: { type: "http", scheme: "bearer" } },
      schemas: Object.fromEntries(
        Object.entries(examples)
          .filter(([path]) => saysAnswer(path, shape))
          .map(([path, example]) => [schemaName(path), buildSchema(example, shape, say, meanings)]),
      ),
    },
  };
}

const SUMMARIES: Record<string, string> = {
  [SITES_PATH]: "The sites of your organization",
  "/stats": "Totals of a site over a number of days",
  "/timeseries": "Daily numbers of a site",
  "/breakdown": "Top entries of a dimension",
  "/realtime": "Visitors active in the last 5 minutes",
};

/** Whether the description has the members of an answer. */
const saysAnswer = (path: string, { description }: Shape) =>
  description !== "object" && !(description === "incomplete" && path === "/stats");

const schemaName = (path: string) => `${path.slice(1, 2).toUpperCase()}${path.slice(2)}Answer`;

function describeParameter(path: string, name: string, shape: Shape): Json[] {
  const isHidden = path === "/breakdown" && name === "days" && shape.breakdownDays === "undescribed";
  const isLeftOut = shape.description === "incomplete" && (name === "limit" || name === "days");
  if (isHidden || isLeftOut) return [];
  const allowed = daysAllowed(shape);
  const schemas: Record<string, JsonObject> = {
    site: { type: "string" },
    days:
      allowed === undefined
        ? { type: "integer", minimum: 1, maximum: shape.days === "most" ? MAX_DAYS : 365, default: 30 }
        : { type: "integer", enum: allowed, default: 30 },
    dimension: { type: "string", enum: dimensionNames(shape) },
    limit: { type: "integer", minimum: 1, maximum: MAX_LIMIT, default: 10 },
    page: { type: "integer", minimum: 1, default: 1 },
    cursor: { type: "string" },
  };
  const isRequired = name === "site" || name === "dimension";
  return [{ name, in: "query", required: isRequired, schema: schemas[name] ?? {} }];
}

function describeAnswer(
  path: string,
  example: Json,
  shape: Shape,
  say: Spelled,
  meanings: Meanings,
): JsonObject {
  if (shape.description === "object") {
    return { content: { "application/json": { schema: { type: "object" } } } };
  }
  if (!saysAnswer(path, shape)) return {};
  const reference = { $ref: `#/components/schemas/${schemaName(path)}` };
  const schemas: Record<Shape["schemas"], () => JsonObject> = {
    inline: () => buildSchema(example, shape, say, meanings),
    ref: () => reference,
    allOf: () => ({ allOf: [{ type: "object" }, reference] }),
    oneOf: () => ({ oneOf: [reference, { type: "object", properties: { error: { type: "string" } } }] }),
  };
  return { content: { "application/json": { schema: schemas[shape.schemas]() } } };
}

/** The schema of an example. A stale one has a name of an earlier version, and lacks what came later. */
function buildSchema(example: Json, shape: Shape, say: Spelled, meanings: Meanings): JsonObject {
  const buildObject = (value: JsonObject): JsonObject => {
    const names = Object.keys(value);
    // Names that are data are not listed one by one.
    if (names.length > 0 && names.every((name) => /^\d{4}-\d\d-\d\d/.test(name))) {
      return { type: "object", additionalProperties: build(value[names[0] ?? ""] ?? null) };
    }
    const properties = names.map((name): [string, Json] => {
      const schema = build(value[name] ?? null);
      const meaning = meanings.get(name);
      const isCount = schema.type !== "object";
      return [name, meaning !== undefined && isCount ? { ...schema, [shape.meanings]: meaning } : schema];
    });
    const shown = shape.description === "stale" ? makeStale(properties, say) : properties;
    return { type: "object", properties: Object.fromEntries(shown) };
  };
  const build = (value: Json): JsonObject => {
    if (value === null) return shape.openapi === "3.1.0" ? { type: "null" } : { nullable: true };
    if (Array.isArray(value)) return { type: "array", items: value[0] === undefined ? {} : build(value[0]) };
    return typeof value === "object" ? buildObject(value) : { type: typeOf(value) };
  };
  return build(example);
}

const typeOf = (value: boolean | number | string) => (Number.isInteger(value) ? "integer" : typeof value);

const makeStale = (properties: readonly [string, Json][], say: Spelled): [string, Json][] =>
  properties.flatMap(([name, schema]): [string, Json][] => {
    if (name === say.pageviews) return [[`${name}${name.includes("_") ? "_v1" : "V1"}`, schema]];
    return name === say.events ? [] : [[name, schema]];
  });
