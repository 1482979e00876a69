import * as z from "zod";
import { AnalyticsError } from "../errors.ts";
import { readMember } from "../member.ts";
import type { Call, CallOptions } from "../operations/call.ts";
import { openapi, operations } from "../operations/index.ts";
import type { AnswerOf } from "../operations/operation.ts";
import { parseParams } from "../operations/parameters.ts";
import { formatCommand } from "../operations/shell-command.ts";
import { cleanText } from "../render/clean-text.ts";
import { cleanValue } from "../render/clean-value.ts";
import { formatTsv } from "../render/tsv.ts";
import { countFitting, estimateTokens, MAX_FORM_TOKENS } from "./budget.ts";
import type { McpServerOptions } from "./server-options.ts";
import type { Receipt, ToolAnswer } from "./tool-answer.ts";

const names: string[] = operations.map((operation) => operation.name);

export const openapiToolParams = z.strictObject({
  operation: z.enum(names).optional().describe("One to show in full, such as stats."),
});

export const openapiToolResult = z.object({
  title: z.string(),
  version: z.string(),
  operations: z.array(
    z.object({ path: z.string(), parameters: z.string().nullable(), summary: z.string().nullable() }),
  ),
  definition: z.record(z.string(), z.unknown()).optional(),
});

type Document = AnswerOf<typeof openapi>;

/** `get_openapi`: the document is too long for a model, so it gets a summary, or one operation with its references. */
export async function answerOpenApi(
  call: Call,
  input: Record<string, unknown>,
  options: CallOptions,
  { options: shellOptions }: Pick<McpServerOptions, "options">,
): Promise<ToolAnswer> {
  const { operation: name } = parseParams(openapiToolParams, input);
  const document = await call(openapi, {}, options);
  const view = openapi.view(document, {});
  const command = shellOptions && formatCommand(openapi, {}, shellOptions);
  const fitting = countFitting(
    view.rows.map((row) => [row, row]),
    "first",
  );
  const cut = fitting === view.rows.length ? [] : [`Only ${fitting} of ${view.rows.length} paths are shown.`];
  view.rows = view.rows.slice(0, fitting);
  const head = { title: document.info.title, version: document.info.version, operations: view.rows };
  const body = name === undefined ? {} : { definition: readDefinition(document, name, command) };
  const notes = name === undefined ? [...cut, "This is a summary: set operation to see one in full."] : [];
  const structured = cleanValue(
    {
      ...(name === undefined ? head : { ...head, operations: [] }),
      ...body,
      receipt: { notes, ...(command !== undefined && { command }) } satisfies Receipt,
    },
    2_000,
  );
  const text = [
    cleanText(view.headline),
    name === undefined ? formatTsv(view.columns, [view.rows]) : JSON.stringify(structured.definition),
    ...notes,
    ...(command === undefined ? [] : [`Shell: ${command}`]),
  ];
  return { content: [{ type: "text", text: text.join("\n") }], structuredContent: structured };
}

function readDefinition(document: Document, name: string, command?: string): Record<string, unknown> {
  const path = operations.find((operation) => operation.name === name)?.path ?? "";
  const definition = readMember(document.paths, path);
  if (definition === undefined) {
    throw new AnalyticsError("not_found", `The service's OpenAPI document does not describe ${path}.`, {
      hint: `It describes ${Object.keys(document.paths).slice(0, 20).join(", ")}.`,
    });
  }
  const components = [...collectComponents(document, definition)];
  const schemas = components.filter(([reference]) => reference.startsWith("#/components/schemas/"));
  // What does not fit is left out, headers and errors first.
  for (const kept of [components, schemas, []]) {
    const all = { [path]: definition, ...(kept.length > 0 && { components: Object.fromEntries(kept) }) };
    if (estimateTokens(all) <= MAX_FORM_TOKENS) return all;
  }
  throw new AnalyticsError("too_large", `The description of ${path} is too long to show.`, {
    hint: command && `Print it in a shell: ${command}`,
  });
}

/** Everything a definition refers to with `$ref`, directly or indirectly, by its path in the document. */
function collectComponents(document: Document, definition: unknown): Map<string, unknown> {
  const found = new Map<string, unknown>();
  const visit = (value: unknown): void => {
    if (typeof value !== "object" || value === null) return;
    for (const [key, member] of Object.entries(value)) {
      if (key !== "$ref" || typeof member !== "string" || found.has(member)) visit(member);
      else {
        const component = resolve(document, member);
        found.set(member, component);
        visit(component);
      }
    }
  };
  visit(definition);
  return found;
}

function resolve(document: Document, reference: string): unknown {
  const keys = reference.replace(/^#\//, "").split("/");
  return keys.reduce<unknown>(readMember, document) ?? null;
}
