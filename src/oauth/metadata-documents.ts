import { DocumentRefused, DocumentUnavailable } from "./document-failure.ts";
import type { DocumentFetch } from "./document-fetch.ts";

/** In bytes; more than any document or key set needs. A stranger chooses the address, so the answer may be endless. */
const MAX_BYTES = 64_000;

/**
 * Normalizes client ID metadata documents before the provider reads them, as registrations are. Documents are written
 * for many servers, and the provider refuses a whole document for one member that this server does not use. Key sets,
 * which the provider fetches the same way, stay unchanged. Rejects answers that are too large.
 */
export function readDocuments(
  fetch: DocumentFetch,
  normalize: (metadata: Record<string, unknown>) => Record<string, unknown>,
): DocumentFetch {
  return async (url, init) => {
    const response = await fetch(url, init);
    // Redirects are not followed: the provider accepts nothing but 200.
    if (response.status !== 200) return response;
    const text = await readText(response);
    const document = parse(text);
    // A page, such as one that says that the host is being repaired.
    if (document === undefined) throw new DocumentUnavailable("not JSON", { isAnswered: true });
    // Only metadata documents have a client_id; the provider compares it with the address it asked for.
    const body = typeof document.client_id === "string" ? JSON.stringify(normalize(document)) : text;
    return new Response(body, { headers: keepHeaders(response.headers) });
  };
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

function parse(text: string): Record<string, unknown> | undefined {
  try {
    return Object(JSON.parse(text));
  } catch {
    return undefined;
  }
}

/** The headers that the provider reads: the content type and how long to cache the answer. */
function keepHeaders(headers: Headers): Headers {
  const kept = new Headers();
  for (const name of ["cache-control", "expires", "content-type"]) {
    const value = headers.get(name);
    if (value !== null) kept.set(name, value);
  }
  return kept;
}
