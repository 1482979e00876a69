import { DocumentUnavailable } from "./document-failure.ts";
import type { DocumentFetch } from "./document-fetch.ts";
import type { Store } from "./store/store.ts";

export interface FetchLimitOptions {
  store: Store;
  clock: () => number;
  /** The address that the current request comes from. */
  readAddress: () => string;
}

/** How many documents and key sets the requests of one address may make this server fetch in an hour. */
const FETCHES = { max: 300, windowMs: 3_600_000 };

/** For how long an answer is reused, even a failure: the provider asks twice for a document that it refuses. */
const CACHE_MS = 30_000;
const MAX_CACHED = 100;

/** Limits and caches fetches: this server fetches whatever address a stranger names as a client id. */
export function limitFetches(
  fetch: DocumentFetch,
  { store, clock, readAddress }: FetchLimitOptions,
): DocumentFetch {
  const cached = new Map<string, { ends: number; answer: () => Response }>();

  const cache = (url: string, answer: () => Response) => {
    cached.delete(url);
    cached.set(url, { ends: clock() + CACHE_MS, answer });
    const [oldest] = cached.keys();
    if (cached.size > MAX_CACHED && oldest !== undefined) cached.delete(oldest);
    return answer();
  };

  return async (input, init) => {
    const url = input instanceof Request ? input.url : String(input);
    const known = cached.get(url);
    if (known && known.ends > clock()) return known.answer();
    const wait = await store.hit(`documents for ${readAddress()}`, FETCHES, clock());
    if (wait > 0) throw new DocumentUnavailable("Too many documents were requested.");
    let response: Response;
    let text: string | null;
    try {
      response = await fetch(input, init);
      // The provider only reads the body of a 200. Any other body may be endless.
      text = response.status === 200 ? await response.text() : null;
      if (text === null) await response.body?.cancel();
    } catch (error) {
      return cache(url, () => {
        throw error;
      });
    }
    const { status, headers } = response;
    return cache(url, () => new Response(text, { status, headers }));
  };
}
