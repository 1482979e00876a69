import { type Api, createApi } from "../../src/api/api.ts";
import { createHttpClient } from "../../src/client/http-client.ts";
import type { Call } from "../../src/operations/call.ts";
import type { DataSource } from "../../src/sources/data-source.ts";
import { DEMO_KEY, NOW, toResponse } from "./api.ts";

export interface Connection {
  call: Call;
  asked: string[];
}

const hasSpan = (url: string) => /[?&](from|to)=/.test(url);
const hideSpans = (openApi: string) => openApi.replaceAll('"name":"from"', '"name":"since"');

/** An API whose OpenAPI document does not offer `from` and `to`, and that refuses them. */
export function withoutSpans(api: Api): Api {
  return async (request) => {
    if (hasSpan(request.url)) throw new Error(`A service without from and to was asked for ${request.url}.`);
    const response = await api(request);
    const isOpenApi = request.url.endsWith("/openapi.json");
    return isOpenApi ? { ...response, body: hideSpans(response.body ?? "") } : response;
  };
}

type Answerer = (request: Request) => Promise<Response>;

/** A client of a service; without spans, its OpenAPI document does not offer `from` and `to`, and it refuses them. */
export function connect(answer: Answerer, hasSpans: boolean, between: () => void = () => {}): Connection {
  const asked: string[] = [];
  const { call } = createHttpClient({
    clock: () => NOW,
    readTarget: () => ({
      baseUrl: "https://x.test/api/v1",
      apiKey: DEMO_KEY,
      fetch: async (url, init) => {
        between();
        asked.push(url.replace("https://x.test/api/v1", ""));
        if (!hasSpans && hasSpan(url)) return new Response("", { status: 400 });
        const response = await answer(new Request(url, init));
        if (hasSpans || !url.endsWith("/openapi.json")) return response;
        return new Response(hideSpans(await response.text()), response);
      },
    }),
  });
  return { call, asked };
}

/** The REST API over a source. */
export function serve(source: DataSource): Answerer {
  const api = createApi({
    keyring: () => ({ keyId: "test", source }),
    clock: () => NOW,
    quota: { limit: 1_000_000, window: 60 },
  });
  return async (request) => toResponse(await api(request));
}
