import {
  type McpServer,
  ProtocolError,
  ProtocolErrorCode,
  ResourceNotFoundError,
  ResourceTemplate,
} from "@modelcontextprotocol/server";
import { buildLlmsTxt } from "../documents/llms.ts";
import { AnalyticsError } from "../errors.ts";
import { type Question, questions } from "../insights/question.ts";
import type { Call, CallOptions } from "../operations/call.ts";
import { cleanValue, formatJson } from "../render/clean.ts";
import { completeSite } from "./completion.ts";
import type { Admit } from "./rate-limit.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
/** What depends on the key is one organization's, and no shared cache may keep it. */
const ownFor = (ttlMs: number) => ({ cacheHint: { ttlMs, cacheScope: "private" as const } });
const JSON_TYPE = "application/json";
const MAX_DOCUMENT_TEXT = 2_000;

/**
 * What a host may attach to a conversation by itself. Nothing essential hides here: many clients show tools
 * alone, and each of these can be had from a tool, too.
 */
export function registerResources(server: McpServer, call: Call, admit: Admit): void {
  const ask = async (name: string, input: Record<string, unknown>, uri: URL, options: CallOptions) => {
    try {
      admit();
      const text = await readAnswer(call, name, input, options);
      return { contents: [{ uri: uri.href, mimeType: JSON_TYPE, text }] };
    } catch (error) {
      throw translate(error, uri);
    }
  };

  server.registerResource(
    "sites",
    "analytics://sites",
    {
      title: "Sites",
      description: "The organization's sites.",
      mimeType: JSON_TYPE,
      ...ownFor(MINUTE_MS),
    },
    (uri, { mcpReq: { signal } }) => ask("sites", {}, uri, { signal }),
  );
  server.registerResource(
    "site overview",
    new ResourceTemplate("analytics://sites/{site}/overview", {
      list: undefined,
      complete: { site: (text) => completeSite(call, text) },
    }),
    {
      title: "Site at a glance",
      description:
        "The last 30 days of a site: totals, trend, comparison, top pages, referrers and countries.",
      mimeType: JSON_TYPE,
      ...ownFor(MINUTE_MS),
    },
    (uri, { site }, { mcpReq: { signal } }) => ask("overview", { site: decode(site) }, uri, { signal }),
  );
  server.registerResource(
    "openapi",
    "analytics://openapi",
    {
      title: "API description",
      description: "The service's OpenAPI 3.1 document.",
      mimeType: JSON_TYPE,
      ...ownFor(HOUR_MS),
    },
    (uri, { mcpReq: { signal } }) => ask("openapi", {}, uri, { signal }),
  );
  server.registerResource(
    "llms.txt",
    "analytics://llms.txt",
    {
      title: "Summary for assistants",
      description: "What this server, its API and its tools are.",
      mimeType: "text/plain",
      cacheHint: { ttlMs: HOUR_MS, cacheScope: "public" },
    },
    (uri) => ({ contents: [{ uri: uri.href, mimeType: "text/plain", text: buildLlmsTxt(questions) }] }),
  );
}

async function readAnswer(
  call: Call,
  name: string,
  input: Record<string, unknown>,
  options: CallOptions,
): Promise<string> {
  const question = questions.find((each) => each.name === name) as Question;
  const { result } = await question.ask(call, input, options);
  return formatJson(cleanValue(result, MAX_DOCUMENT_TEXT));
}

/** A failure as a protocol error; a site that does not exist is a resource that does not (-32602). */
function translate(error: unknown, uri: URL): Error {
  if (!(error instanceof AnalyticsError)) {
    return new ProtocolError(
      ProtocolErrorCode.InternalError,
      "analytics-mcp failed to answer: this is a bug.",
    );
  }
  const message = cleanValue([error.message, error.hint ?? ""], 500)
    .join(" ")
    .trim();
  if (error.code === "site_not_found") return new ResourceNotFoundError(uri.href, message);
  const isInput = error.code === "invalid_parameter" || error.code === "missing_parameter";
  return new ProtocolError(
    isInput ? ProtocolErrorCode.InvalidParams : ProtocolErrorCode.InternalError,
    message,
  );
}

function decode(variable: string | string[] | undefined): string {
  const text = Array.isArray(variable) ? (variable[0] ?? "") : (variable ?? "");
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
