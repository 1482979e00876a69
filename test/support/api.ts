import type { ApiResponse } from "../../src/api/api.ts";
import { DEMO_KEY } from "../../src/sources/demo/fixtures.ts";
import { createReferenceApi, type ReferenceApiOptions } from "./reference-api.ts";

export { DEMO_KEY };
export const SECOND_KEY = "second-key-of-acme";
export const GLOBEX_KEY = "demo-key-of-globex";

/** A Saturday, 05:05:10 in Berlin. */
export const NOW = Date.parse("2026-11-21T04:05:10Z");

export interface Asked {
  status: number;
  headers: Headers;
  text: string;
  body: Record<string, unknown>;
}

/** As `fetch` and msw want an answer. */
export function toResponse({ status, headers, body }: ApiResponse): Response {
  return new Response(body, { status, headers: [...headers] });
}

/** The reference API with a clock that the test moves, asked by path. */
export function createTestApi(options: Partial<ReferenceApiOptions> & { start?: number } = {}) {
  const time = { now: options.start ?? NOW };
  const reference = createReferenceApi({
    clock: () => time.now,
    quota: { limit: 1_000_000, window: 60 },
    ...options,
  });
  const api = async (request: Request) => toResponse(await reference(request));
  const ask = async (path: string, init: RequestInit & { key?: string | null } = {}): Promise<Asked> => {
    const { key = DEMO_KEY, ...rest } = init;
    const headers = new Headers(rest.headers);
    if (key !== null) headers.set("Authorization", `Bearer ${key}`);
    const response = await api(new Request(`https://stats.example.test${path}`, { ...rest, headers }));
    const text = await response.text();
    const body = text.startsWith("{") ? JSON.parse(text) : {};
    return { status: response.status, headers: response.headers, text, body };
  };
  return { api, reference, ask, time };
}
