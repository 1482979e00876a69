import { Readable } from "node:stream";
import { http } from "msw";
import { setupServer } from "msw/node";
import { type Dispatcher, EnvHttpProxyAgent } from "undici";
import { afterAll, afterEach, beforeAll, vi } from "vitest";
import { createTestApi, DEMO_KEY } from "./api.ts";

/** Where the service is on a faked network. */
export const BASE = "https://stats.example.test";
/** The settings of who uses it. */
export const service = { ANALYTICS_API_KEY: DEMO_KEY, ANALYTICS_BASE_URL: BASE };

/** Fakes the network alone, for all tests of a file. The real reference API answers; other addresses are an error. */
export function fakeNetwork() {
  const { api, ask } = createTestApi();
  /** What the reference API got from the test that runs. */
  const asked: Request[] = [];
  const network = setupServer(
    http.all(`${BASE}/*`, ({ request }) => {
      asked.push(request);
      return api(request);
    }),
  );
  beforeAll(() => {
    vi.spyOn(EnvHttpProxyAgent.prototype, "request").mockImplementation(requestByFetch);
    network.listen({ onUnhandledRequest: "error" });
  });
  afterEach(() => {
    network.resetHandlers();
    asked.length = 0;
  });
  afterAll(() => {
    network.close();
    vi.restoreAllMocks();
  });
  return { network, asked, api, ask };
}

/** msw stands behind Node's own fetch, which the program does without. */
async function requestByFetch({ origin, path, ...options }: Dispatcher.RequestOptions<unknown>) {
  const init = { ...options, redirect: "manual" } as RequestInit;
  const { status, headers, body } = await fetch(`${origin}${path}`, init);
  const answer = {
    statusCode: status,
    // What fetch has unpacked says no more that it is packed.
    headers: Object.fromEntries([...headers].filter(([name]) => name !== "content-encoding")),
    body: Readable.from(body ?? []),
  };
  return answer as unknown as Dispatcher.ResponseData<unknown>;
}
