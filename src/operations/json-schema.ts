import * as z from "zod";

export interface JsonSchema {
  type?: string | string[];
  description?: string;
  properties?: Record<string, JsonSchema>;
  required?: string[];
  items?: JsonSchema;
  enum?: unknown[];
  default?: unknown;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  format?: string;
  pattern?: string;
  additionalProperties?: boolean | JsonSchema;
  [keyword: string]: unknown;
}

const known = new WeakMap<z.ZodType, JsonSchema>();

/**
 * Converts a schema to JSON Schema 2020-12, as seen by the writer of the value. Removes what zod adds and the contract
 * does not have: safe-integer bounds of every integer, a long regular expression for every `format`, and the statement
 * that names of members are strings. Each is converted once, since a service is asked for its OpenAPI document again and
 * again: change a copy.
 */
export function toJsonSchema(schema: z.ZodType): JsonSchema {
  const json = known.get(schema) ?? convert(schema);
  known.set(schema, json);
  return json;
}

function convert(schema: z.ZodType): JsonSchema {
  const json = z.toJSONSchema(schema, {
    io: "input",
    override: ({ jsonSchema }) => {
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
      if (jsonSchema.format !== undefined) delete jsonSchema.pattern;
      delete jsonSchema.propertyNames;
    },
    // In zod's type a subschema may be a boolean; for the types used here it never is.
  }) as JsonSchema;
  delete json.$schema;
  return json;
}

const propertiesBySchema = new WeakMap<z.ZodObject, ReadonlyMap<string, JsonSchema>>();

/** The parameters of an operation by name, as JSON Schemas. A map, because a caller may send `__proto__`. */
export function parameterSchemas(params: z.ZodObject): ReadonlyMap<string, JsonSchema> {
  let properties = propertiesBySchema.get(params);
  if (!properties) {
    properties = new Map(Object.entries(toJsonSchema(params).properties ?? {}));
    propertiesBySchema.set(params, properties);
  }
  return properties;
}
