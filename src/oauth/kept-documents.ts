import type { Client } from "oidc-provider";
import { findDocumentHost } from "./application-facts.ts";
import { isDocumentUnavailable } from "./document-failure.ts";
import type { DocumentFetch } from "./document-fetch.ts";
import type { Sealing } from "./store/sealing.ts";
import type { Store } from "./store/store.ts";

export interface KeptDocumentsOptions {
  store: Store;
  sealing: Sealing;
  clock: () => number;
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
  { store, sealing, clock }: KeptDocumentsOptions,
): Promise<void> {
  if (application === undefined || findDocumentHost(application.clientId) === undefined) return;
  const now = clock();
  const sealed = sealing.seal(KIND, application.clientId, application.metadata());
  await store.put({ ...sealed, created: now, expires: now + LIFETIME_MS });
}

/**
 * Answers with the last good document if its host fails. Otherwise the refresh of a token would be answered with
 * `invalid_client`, at which applications discard their sign-in. Key sets are not kept: their owner may revoke a key.
 */
export function withKeptDocuments(
  fetch: DocumentFetch,
  { store, sealing }: KeptDocumentsOptions,
): DocumentFetch {
  return async (input, init) => {
    try {
      return await fetch(input, init);
    } catch (error) {
      if (!isDocumentUnavailable(error)) throw error;
      const url = input instanceof Request ? input.url : String(input);
      const record = await store.get(KIND, sealing.hash(KIND, url));
      const document = record && sealing.open(record, url);
      if (document === undefined) throw error;
      return Response.json(document);
    }
  };
}
