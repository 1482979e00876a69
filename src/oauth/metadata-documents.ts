import type { DocumentFetch } from "./document-fetch.ts";

/** More than any client's document or key set needs; what a stranger names may have no end. */
const MAX_BYTES = 64_000;

/**
 * Puts client ID metadata documents in order before the provider reads them, as registrations are: they hold what
 * their client is to many servers, and the provider refuses the whole of one for a member that this server makes no
 * use of. Key sets, which the provider fetches the same way, pass as they are. Rejects what is too large.
 */
export function readDocuments(
  fetch: DocumentFetch,
  normalize: (metadata: Record<string, unknown>) => Record<string, unknown>,
): DocumentFetch {
  return async (url, init) => {
    const response = await fetch(url, init);
    // Redirects are not followed: with anything but 200 the provider stops.
    if (response.status !== 200) return response;
    const text = await readText(response);
    const document = parse(text);
    // A document is one by naming its own address; the provider holds it against the one that it asked for.
    const body = typeof document?.client_id === "string" ? JSON.stringify(normalize(document)) : text;
    return new Response(body, { headers: keepLifetime(response.headers) });
  };
}

async function readText(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  // Leaving the loop cancels the stream.
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength;
    if (size > MAX_BYTES) throw new Error("The document is too large.");
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

/** Of the answer's headers the provider reads how long it may be kept, and what it is. */
function keepLifetime(headers: Headers): Headers {
  const kept = new Headers();
  for (const name of ["cache-control", "expires", "content-type"]) {
    const value = headers.get(name);
    if (value !== null) kept.set(name, value);
  }
  return kept;
}
