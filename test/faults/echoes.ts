import type { Fault } from "../support/fault-proxy.ts";
import { always, edited, JSON_TYPE, PAGE, raw } from "./sending.ts";

/** Sends text that contains the key. */
const repeat = (
  write: (key: string) => string,
  headers: Record<string, string> = JSON_TYPE,
  status = 200,
): Fault => edited((_, { key }) => ({ status, headers, body: Buffer.from(write(key)) }));

const redirectTo = (write: (key: string) => string): Fault =>
  edited((_, { key }) => ({ status: 302, headers: { location: write(key) } }));

/** Every place in which a service may send the key back. */
export const echoes = [
  ...always("redirected", {
    "the key in a redirect's address": redirectTo((key) => `https://${key}.example/?key=${key}`),
    "the key in a redirect's scheme": redirectTo((key) => `${key}://x/`),
  }),
  ...always("bad_answer", {
    "the key in a type": edited((_, { key }) => ({ headers: { "content-type": `text/${key}` } })),
    "the key in a page": repeat((key) => `${PAGE}${key}`, { "content-type": "text/html" }),
    "the key in broken JSON": repeat((key) => `{"${key}":${key}`),
    "the key as a member's name": repeat(
      (key) => `{"paths":{"${key}":1},"sites":[{"id":{"${key}":"${key}"}}]}`,
    ),
  }),
  ...always("invalid_parameter", {
    "the key in a problem": repeat(
      (key) =>
        JSON.stringify({
          code: key,
          title: key,
          detail: `Bearer ${key}`,
          request_id: key,
          type: key,
          [key]: key,
          errors: [{ parameter: key, detail: key, allowed: [key] }],
        }),
      { "content-type": "application/problem+json" },
      400,
    ),
  }),
  ...always("rate_limited", {
    "the key in every header": edited(({ headers }, { key }) => ({
      status: 429,
      headers: { ...headers, "retry-after": key, "www-authenticate": key, [`x-${key}`]: key, date: key },
    })),
  }),
  ...always("internal_error", {
    "the key as a reason": raw((_, { key }) => `HTTP/1.1 500 ${key}\r\ncontent-length: 0\r\n\r\n`),
  }),
  ...always("unreachable", {
    "the key as no HTTP": raw((_, { key }) => `${key}\r\n\r\n`),
  }),
];
