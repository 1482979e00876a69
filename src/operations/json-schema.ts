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

/**
 * A schema as JSON Schema 2020-12, from the side of whoever writes the value. zod publishes the safe-integer
 * bounds on every integer and a long regular expression beside every `format`: neither is part of the
 * contract, so both are left out.
 */
export function toJsonSchema(schema: z.ZodType): JsonSchema {
  const json = z.toJSONSchema(schema, {
    io: "input",
    override: ({ jsonSchema }) => {
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
      if (jsonSchema.format !== undefined) delete jsonSchema.pattern;
    },
  }) as JsonSchema;
  delete json.$schema;
  return json;
}

const propertiesBySchema = new WeakMap<z.ZodObject, ReadonlyMap<string, JsonSchema>>();

/** The parameters of an operation by name, each as JSON Schema. A map, since a caller may send `__proto__`. */
export function parameterSchemas(params: z.ZodObject): ReadonlyMap<string, JsonSchema> {
  let properties = propertiesBySchema.get(params);
  if (!properties) {
    properties = new Map(Object.entries(toJsonSchema(params).properties ?? {}));
    propertiesBySchema.set(params, properties);
  }
  return properties;
}
