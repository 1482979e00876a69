import type { DocumentFetch } from "./document-fetch.ts";
import type { Store } from "./store/store.ts";

export interface FetchLimitOptions {
  store: Store;
  clock: () => number;
  /** Whom the request under way comes from. */
  readAddress: () => string;
}

/** Documents and key sets that the requests of one address may make this server fetch in an hour. */
const FETCHES = 300;
const HOUR_MS = 3_600_000;

/** How long an answer is given again, good or bad: the provider asks for a document that it refused twice. */
const KEPT_MS = 30_000;
const MOST_KEPT = 100;

/** Whoever signs in names an address, and this server fetches it: not without end, and not again at once. */
export function limitFetches(
  fetch: DocumentFetch,
  { store, clock, readAddress }: FetchLimitOptions,
): DocumentFetch {
  const kept = new Map<string, { ends: number; answer: () => Response }>();

  const keep = (url: string, answer: () => Response) => {
    kept.delete(url);
    kept.set(url, { ends: clock() + KEPT_MS, answer });
    const [oldest] = kept.keys();
    if (kept.size > MOST_KEPT && oldest !== undefined) kept.delete(oldest);
    return answer();
  };

  return async (input, init) => {
    const url = input instanceof Request ? input.url : String(input);
    const known = kept.get(url);
    if (known && known.ends > clock()) return known.answer();
    const count = await store.hit(`documents for ${readAddress()}`, HOUR_MS, clock());
    if (count > FETCHES) throw new Error("Too many documents were asked for.");
    let response: Response;
    let text: string | null;
    try {
      response = await fetch(input, init);
      // Of anything but 200 the provider reads no body, which may be of any length.
      text = response.status === 200 ? await response.text() : null;
      if (text === null) await response.body?.cancel();
    } catch (error) {
      return keep(url, () => {
        throw error;
      });
    }
    const { status, headers } = response;
    return keep(url, () => new Response(text, { status, headers }));
  };
}
