import {
  type CacheHint,
  ProtocolError,
  ProtocolErrorCode,
  type ReadResourceResult,
  ResourceNotFoundError,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { AnalyticsError } from "../errors.ts";
import type { CallOptions } from "../operations/call.ts";
import { parseParams } from "../operations/parameters.ts";
import { formatJson } from "../render/clean-text.ts";
import { cleanValue } from "../render/clean-value.ts";
import { chartResource } from "./chart-link.ts";
import type { McpServerOptions } from "./server-options.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const JSON_TYPE = "application/json";
const MAX_DOCUMENT_TEXT = 2_000;
/** `analytics://sites/{site}/overview`. In a template, a comma separates several values (RFC 6570, section 3.2.2). */
const OVERVIEW = /^analytics:\/\/sites\/([^/,]+)\/overview$/;

const descriptions = {
  sites: {
    uri: "analytics://sites",
    name: "sites",
    title: "Sites",
    description: "The organization's sites.",
    mimeType: JSON_TYPE,
  },
  openapi: {
    uri: "analytics://openapi",
    name: "openapi",
    title: "API description",
    description: "The service's OpenAPI 3.1 document.",
    mimeType: JSON_TYPE,
  },
  llms: {
    uri: "analytics://llms.txt",
    name: "llms.txt",
    title: "Summary for assistants",
    description: "What this server, its API and its tools do.",
    mimeType: "text/plain",
  },
  chart: chartResource,
};

/**
 * What a host may attach to a conversation. Nothing is available only here, because many clients show only tools.
 */
export const listResources = () => Object.values(descriptions);

export const overviewTemplate = {
  name: "site overview",
  uriTemplate: "analytics://sites/{site}/overview",
  title: "Site at a glance",
  description: "The last 28 days of a site: totals, trend, comparison, top pages, referrers and countries.",
  mimeType: JSON_TYPE,
};

/** Throws a protocol error, -32602 if there is no such resource. */
export async function readResource(
  options: McpServerOptions,
  given: string,
  { mcpReq: { signal, envelope } }: ServerContext,
): Promise<ReadResourceResult> {
  const uri = parseUri(given);
  const ask = async (name: string, input: Record<string, unknown>) => ({
    contents: [{ uri, mimeType: JSON_TYPE, text: await readAnswer(options, uri, name, input, { signal }) }],
  });
  // Clients before 2026-07-28 do not know hints; clients of that revision send an envelope.
  const cacheHint = (ttlMs: number, cacheScope: CacheHint["cacheScope"]) => envelope && { ttlMs, cacheScope };
  // Answers that depend on the key belong to one organization: no shared cache may keep them.
  switch (uri) {
    case descriptions.sites.uri:
      return { ...(await ask("sites", {})), ...cacheHint(MINUTE_MS, "private") };
    case descriptions.openapi.uri:
      return { ...(await ask("openapi", {})), ...cacheHint(HOUR_MS, "private") };
    case descriptions.llms.uri: {
      const { buildLlmsTxt } = await import("../documents/llms.ts");
      const { queries } = await import("../reports/queries.ts");
      const { mimeType } = descriptions.llms;
      return { contents: [{ uri, mimeType, text: buildLlmsTxt(queries) }], ...cacheHint(HOUR_MS, "public") };
    }
    case descriptions.chart.uri: {
      const { chartPage } = await import("./chart-pages.ts");
      const { mimeType, _meta } = chartResource;
      return { contents: [{ uri, mimeType, text: chartPage, _meta }], ...cacheHint(HOUR_MS, "public") };
    }
  }
  const [, site] = OVERVIEW.exec(uri) ?? [];
  if (site === undefined) throw new ResourceNotFoundError(given);
  return { ...(await ask("overview", { site: decode(site) })), ...cacheHint(MINUTE_MS, "private") };
}

function parseUri(uri: string): string {
  try {
    return new URL(uri).href;
  } catch {
    const message = `Resource URI ${uri} is invalid`;
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, message, { uri, reason: "invalid_uri" });
  }
}

async function readAnswer(
  { call, admit }: McpServerOptions,
  uri: string,
  name: string,
  input: Record<string, unknown>,
  options: CallOptions,
): Promise<string> {
  try {
    await admit();
    const { findQuery } = await import("../reports/queries.ts");
    const query = findQuery(name);
    const { result } = await query.ask(call, parseParams(query.params, input), {
      ...options,
      usesDefaultDays: true,
    });
    return formatJson(cleanValue(query.compact?.(result) ?? result, MAX_DOCUMENT_TEXT));
  } catch (error) {
    throw translate(error, uri);
  }
}

/** Converts an error to a protocol error. An unknown site is an unknown resource (-32602). */
function translate(error: unknown, uri: string): Error {
  if (!(error instanceof AnalyticsError)) {
    return new ProtocolError(
      ProtocolErrorCode.InternalError,
      "analytics-mcp failed to answer: this is a bug.",
    );
  }
  const message = cleanValue([error.message, error.hint ?? ""], 500)
    .join(" ")
    .trim();
  if (error.code === "site_not_found") return new ResourceNotFoundError(uri, message);
  const isInput = error.code === "invalid_parameter" || error.code === "missing_parameter";
  return new ProtocolError(
    isInput ? ProtocolErrorCode.InvalidParams : ProtocolErrorCode.InternalError,
    message,
  );
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
