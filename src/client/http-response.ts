import { AnalyticsError } from "../errors.ts";

/** The parts of a response that are read, so that a transport need not build a Fetch Standard `Response`. */
export interface HttpResponse {
  status: number;
  headers: HeaderFields;
  body: AsyncIterable<Uint8Array> | Iterable<Uint8Array> | null;
}

export interface HeaderFields {
  get(name: string): string | null;
}

/**
 * Reads a body as text. Throws AnalyticsError `too_large` above `maxBytes` (counted after decompression), and
 * `bad_answer` if it is not UTF-8.
 */
export async function readBodyText(response: HttpResponse, maxBytes: number): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength;
    if (size > maxBytes) {
      throw new AnalyticsError("too_large", `The service's answer is larger than ${maxBytes / 1e6} MB.`, {
        status: response.status,
        hint: "Check that the base URL points to the API.",
      });
    }
    chunks.push(chunk);
  }
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(Buffer.concat(chunks));
  } catch (cause) {
    throw new AnalyticsError("bad_answer", "The service's answer is not valid UTF-8.", {
      hint: "Check that the base URL points to the API, or contact the service's operator.",
      cause,
    });
  }
}

export const isJson = ({ headers }: HttpResponse): boolean =>
  /^application\/([\w.-]+\+)?json\s*(;|$)/i.test(headers.get("content-type") ?? "");
