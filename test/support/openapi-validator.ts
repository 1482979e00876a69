import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { expect } from "vitest";
import type { Asked } from "./api.ts";

interface Document {
  paths: Record<string, { get: { responses: Record<string, { $ref?: string }> } }>;
  components: { responses: Record<string, ResponseObject> };
}

interface ResponseObject {
  content?: Record<string, { schema: { $ref: string } }>;
  headers: Record<string, unknown>;
}

/** Checks answers against the OpenAPI document that was served, with a validator that is not ours. */
export function createOpenApiValidator(document: unknown) {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  addFormats.default(ajv);
  ajv.addSchema(document as object, "openapi");
  const { paths, components } = document as Document;

  return {
    /** Fails unless the answer's status, media type, headers and body are described for the path. */
    expectDescribed(path: string, answer: Asked) {
      const described = paths[path.replace("/api/v1", "").replace(/\?.*/, "")];
      const entry = described?.get.responses[answer.status];
      expect(entry, `${path} does not describe status ${answer.status}`).toBeDefined();
      const name = entry?.$ref?.split("/").at(-1);
      const response = name === undefined ? (entry as unknown as ResponseObject) : components.responses[name];
      for (const header of Object.keys(response?.headers ?? {})) {
        expect(
          answer.headers.get(header),
          `${path} ${answer.status} lacks the header ${header}`,
        ).not.toBeNull();
      }
      if (response?.content === undefined) return expect(answer.text).toBe("");
      const type = answer.headers.get("content-type") ?? "";
      const schema = response.content[type]?.schema;
      expect(schema, `${path} does not describe ${type}`).toBeDefined();
      const validate = ajv.getSchema(`openapi${schema?.$ref}`);
      expect(validate?.(answer.body), JSON.stringify(validate?.errors)).toBe(true);
    },
  };
}
