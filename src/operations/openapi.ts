import * as z from "zod";
import { defineOperation } from "./operation.ts";

const parameter = () => z.looseObject({ name: z.string().optional() });
const pathItem = () =>
  z.looseObject({
    get: z
      .looseObject({ summary: z.string().optional(), parameters: z.array(parameter()).optional() })
      .optional()
      .describe("The GET operation of the path."),
  });

export const openapi = defineOperation({
  name: "openapi",
  path: "/openapi.json",
  summary: "The API's description, as an OpenAPI 3.1 document",
  description: "The whole contract in machine-readable form: all paths, parameters, answers and errors.",
  tool: {
    name: "get_openapi",
    title: "API description",
    description:
      "The OpenAPI document of this web analytics REST API in short, or one operation in full. To write code, not for answers.",
  },
  shell: { examples: ["analytics-mcp openapi --json > openapi.json"], fields: "path,summary" },
  conform: {
    section: "openapi",
    ask: () => ({}),
    members: "an OpenAPI document: openapi, info with title and version, paths",
    fix: "serve the document as JSON",
  },
  params: () => z.strictObject({}),
  result: () =>
    z.looseObject({
      openapi: z.string().describe("Version of the OpenAPI specification: 3.1.x."),
      info: z
        .looseObject({ title: z.string(), version: z.string() })
        .describe("Title and version of the API."),
      paths: z.record(z.string(), pathItem()).describe("The operations, by path."),
    }),
  maxAge: 3600,
  isDescription: true,
  view: (result) => ({
    headline: `${result.info.title} ${result.info.version} (OpenAPI ${result.openapi})`,
    columns: [
      { key: "path", label: "path", kind: "text" },
      { key: "parameters", label: "parameters", kind: "text" },
      { key: "summary", label: "summary", kind: "text" },
    ],
    rows: Object.entries(result.paths).map(([path, { get }]) => ({
      path,
      parameters: (get?.parameters ?? []).flatMap(({ name }) => name ?? []).join(", ") || null,
      summary: get?.summary ?? null,
    })),
    notes: [],
  }),
});
