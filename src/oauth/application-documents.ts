import type { Client } from "oidc-provider";
import { nameFailure } from "../errors.ts";
import { readJson } from "../member.ts";
import { findDocumentHost } from "./application-facts.ts";
import type { Audit } from "./audit.ts";
import { type DocumentFetch, DocumentRefused } from "./document-fetch.ts";
import type { Sealing } from "./store/sealing.ts";
import type { Store } from "./store/store.ts";

/** The document's host is failing, perhaps only for now. This says nothing about the application. */
export class DocumentUnavailable extends Error {
  /** Whether the host answered, with something else than the document. */
  readonly isAnswered: boolean;

  constructor(
    message: string,
    { isAnswered = false, ...options }: ErrorOptions & { isAnswered?: boolean } = {},
  ) {
    super(message, options);
    this.isAnswered = isAnswered;
  }
}

/** How many causes to look through: the provider wraps errors in its own. */
const MAX_DEPTH = 5;

/** The error itself, or one of its causes, if it is of a class. */
function findCause<T>(error: unknown, type: new (...args: never[]) => T, depth = MAX_DEPTH): T | undefined {
  if (error instanceof type) return error;
  return error instanceof Error && depth > 0 ? findCause(error.cause, type, depth - 1) : undefined;
}

/** Why a document cannot be fetched for now, in our own words or as a code; undefined if the error has another cause. */
export const findUnavailability = (error: unknown): DocumentUnavailable | undefined =>
  findCause(error, DocumentUnavailable);

/** Why a document is refused whatever its host answers later; undefined if the error has another cause. */
export const findRefusal = (error: unknown): DocumentRefused | undefined => findCause(error, DocumentRefused);

/** In bytes; more than any document or key set needs. A stranger chooses the address, so the answer may be endless. */
const MAX_BYTES = 64_000;
/** How many documents and key sets the requests of one address may make this server fetch in an hour. */
const FETCHES = { max: 300, windowMs: 3_600_000 };
/** For how long an answer is reused, even a failure: the provider asks twice for a document that it refuses. */
const CACHE_MS = 30_000;
const MAX_CACHED = 100;
/** Statuses by which a host withdraws a document. Any other than 200 is a failure of the host. */
const WITHDRAWN = [404, 410];

export interface ApplicationDocumentsOptions {
  store: Store;
  sealing: Sealing;
  clock: () => number;
  audit: Audit;
  /** The address that the current request comes from. */
  readAddress: () => string;
  /** Fetches from the network. */
  fetch: DocumentFetch;
  /** How this server names itself to the hosts of documents. */
  userAgent: string;
}

/**
 * The fetch that the provider uses for applications' documents and key sets, at whatever address a stranger names. Documents
 * are normalized, failures logged, fetches limited and cached.
 *
 * If the host of a document fails, the last good document is used: the refresh of a token would otherwise be answered
 * with `invalid_client`, at which applications discard their sign-in. Key sets are not kept: their owner may revoke a key.
 *
 * @param normalize As for registrations: documents are written for many servers, and the provider refuses a whole document
 * for one member that this server does not use.
 */
export function createProviderFetch(
  options: ApplicationDocumentsOptions,
  normalize: (document: Record<string, unknown>) => Record<string, unknown>,
): DocumentFetch {
  const { store, sealing, clock } = options;
  const cached = new Map<string, { ends: number; answer: Promise<() => Response> }>();

  const fetchOnce = async (...[input, init]: Parameters<DocumentFetch>): Promise<() => Response> => {
    const headers = new Headers(init?.headers);
    // The provider sends an empty user agent, as robots do, and many hosts refuse those.
    headers.set("user-agent", options.userAgent);
    const response = await options.fetch(input, { ...init, headers });
    const { status } = response;
    if (status === 200) {
      const text = normalizeDocument(await readText(response), normalize);
      const kept = keepHeaders(response.headers);
      return () => new Response(text, { headers: kept });
    }
    // The provider does not read this body, which may be endless. Nor does it follow redirects.
    await response.body?.cancel();
    if (!WITHDRAWN.includes(status)) throw new DocumentUnavailable(`status ${status}`, { isAnswered: true });
    return () => new Response(null, { status });
  };

  /** Logs a failed fetch, and makes it a `DocumentUnavailable` or a `DocumentRefused`. */
  const fetchAndReport = async (url: string, ...request: Parameters<DocumentFetch>) => {
    const { origin, pathname } = new URL(url);
    const report = (reason: string) =>
      options.audit("document_unavailable", { address: origin + pathname, reason });
    try {
      const answer = await fetchOnce(...request);
      const { status } = answer();
      if (status !== 200) report(`status ${status}`);
      return answer;
    } catch (error) {
      const failure =
        findRefusal(error) ??
        findUnavailability(error) ??
        new DocumentUnavailable(nameFailure(error), { cause: error });
      report(failure.message);
      throw failure;
    }
  };

  const fetchWithinLimits = async (url: string, ...request: Parameters<DocumentFetch>) => {
    const known = cached.get(url);
    if (known && known.ends > clock()) return (await known.answer)();
    const wait = await store.hit(`documents for ${options.readAddress()}`, FETCHES, clock());
    if (wait > 0) throw new DocumentUnavailable("Too many documents were requested.");
    const answer = fetchAndReport(url, ...request);
    await answer.catch(() => {});
    cached.delete(url);
    cached.set(url, { ends: clock() + CACHE_MS, answer });
    const [oldest] = cached.keys();
    if (cached.size > MAX_CACHED && oldest !== undefined) cached.delete(oldest);
    return (await answer)();
  };

  return async (...request) => {
    const [input] = request;
    const url = input instanceof Request ? input.url : String(input);
    try {
      return await fetchWithinLimits(url, ...request);
    } catch (error) {
      if (findUnavailability(error) === undefined) throw error;
      const record = await store.get(KIND, sealing.hash(KIND, url));
      const document = record && sealing.open(record, url);
      if (document === undefined) throw error;
      return Response.json(document);
    }
  };
}

const KIND = "Document";
/** As long as a grant lives; each refresh starts it again. */
const LIFETIME_MS = 366 * 24 * 3_600_000;

/**
 * Keeps the metadata document of an application that gets a grant. Other documents are not kept: strangers could fill
 * the store with them.
 */
export async function keepDocument(
  application: Client | undefined,
  { store, sealing, clock }: Pick<ApplicationDocumentsOptions, "store" | "sealing" | "clock">,
): Promise<void> {
  if (application === undefined || findDocumentHost(application.clientId) === undefined) return;
  const now = clock();
  const sealed = sealing.seal(KIND, application.clientId, application.metadata());
  await store.put({ ...sealed, created: now, expires: now + LIFETIME_MS });
}

async function readText(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  // Leaving the loop cancels the stream.
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength;
    if (size > MAX_BYTES) throw new DocumentRefused("too large");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

/** Leaves key sets unchanged: only metadata documents have a `client_id`, which the provider compares with the address. */
function normalizeDocument(text: string, normalize: Parameters<typeof createProviderFetch>[1]): string {
  const document = readJson(text);
  // A page, such as one that says that the host is being repaired.
  if (document === undefined) throw new DocumentUnavailable("not JSON", { isAnswered: true });
  const { client_id } = Object(document);
  return typeof client_id === "string" ? JSON.stringify(normalize(Object(document))) : text;
}

/** The headers that the provider reads: the content type and how long to cache the answer. */
function keepHeaders(headers: Headers): Headers {
  const names = ["cache-control", "expires", "content-type"];
  return new Headers([...headers].filter(([name]) => names.includes(name)));
}
