import { readErrorCode } from "../errors.ts";
import type { Audit } from "./audit.ts";
import { DocumentRefused, DocumentUnavailable, findCause } from "./document-failure.ts";
import type { DocumentFetch } from "./document-fetch.ts";
import { type FetchLimitOptions, limitFetches } from "./document-fetch-limit.ts";
import { type KeptDocumentsOptions, withKeptDocuments } from "./kept-documents.ts";
import { readDocuments } from "./metadata-documents.ts";
import type { Normalizer } from "./request-normalizer.ts";

export interface ProviderFetchOptions extends FetchLimitOptions, KeptDocumentsOptions {
  /** Fetches from the network. */
  fetch: DocumentFetch;
  /** How this server names itself to the hosts of documents. */
  userAgent: string;
  audit: Audit;
}

/**
 * The fetch that the provider uses for applications' documents and key sets: documents are normalized, failures logged,
 * fetches limited, and the last good document is used if its host fails.
 */
export function createProviderFetch(
  options: ProviderFetchOptions,
  normalize: Normalizer["document"],
): DocumentFetch {
  const named: DocumentFetch = (url, init) => {
    const headers = new Headers(init?.headers);
    // The provider sends an empty user agent, as robots do, and many hosts refuse those.
    headers.set("user-agent", options.userAgent);
    return options.fetch(url, { ...init, headers });
  };
  const reported = reportFailures(readDocuments(named, normalize), options.audit);
  return withKeptDocuments(limitFetches(reported, options), options);
}

/** Statuses by which a host withdraws a document. Any other than 200 is a failure of the host. */
const WITHDRAWN = [404, 410];

/** Logs failed fetches, and makes each of them a `DocumentUnavailable` or a `DocumentRefused`. */
function reportFailures(fetch: DocumentFetch, audit: Audit): DocumentFetch {
  return async (input, init) => {
    const { origin, pathname } = new URL(input instanceof Request ? input.url : input);
    const address = origin + pathname;
    const report = (reason: string) => audit("document_unavailable", { address, reason });
    let response: Response;
    try {
      response = await fetch(input, init);
    } catch (error) {
      const reason = readReason(error);
      report(reason);
      const known = findCause(error, DocumentRefused) ?? findCause(error, DocumentUnavailable);
      throw known ?? new DocumentUnavailable(reason, { cause: error });
    }
    const { status } = response;
    if (status === 200) return response;
    report(`status ${status}`);
    if (WITHDRAWN.includes(status)) return response;
    await response.body?.cancel();
    throw new DocumentUnavailable(`status ${status}`, { isAnswered: true });
  };
}

/** Our own words, or the code or class of another's error: its message may contain anything. */
function readReason(error: unknown): string {
  const own = findCause(error, DocumentRefused) ?? findCause(error, DocumentUnavailable);
  if (own) return own.message;
  const { cause, name } = Object(error);
  return readErrorCode(cause) ?? readErrorCode(error) ?? String(name);
}
