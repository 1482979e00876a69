import { DEMO_KEY } from "../support/api.ts";
import type { Service } from "./service.ts";

/** Makes a service break one rule. */
export type Breach = (service: Service) => Service;

/** The request, as a breach sees it to decide whether it applies. */
export interface Asked {
  path: string;
  query: URLSearchParams;
  method: string;
  authorization: string | null;
  ifNoneMatch: string | null;
  request: Request;
}

export type When = (asked: Asked) => boolean;

// biome-ignore lint/suspicious/noExplicitAny: breaches change answers of any type.
export type Body = any;

function readAsked(request: Request): Asked {
  const { pathname, searchParams } = new URL(request.url);
  return {
    path: pathname.replace("/api/v1", ""),
    query: searchParams,
    method: request.method,
    authorization: request.headers.get("authorization"),
    ifNoneMatch: request.headers.get("if-none-match"),
    request,
  };
}

/** A request to a path with these query values; null means that the parameter is missing. */
export const on =
  (path: string, query: Record<string, string | null> = {}): When =>
  (asked) =>
    asked.path === path && Object.entries(query).every(([name, value]) => asked.query.get(name) === value);

export const both =
  (...all: When[]): When =>
  (asked) =>
    all.every((applies) => applies(asked));

export const not =
  (applies: When): When =>
  (asked) =>
    !applies(asked);

export const always: When = () => true;
export const isHead: When = ({ method }) => method === "HEAD";
export const hasNoKey: When = ({ authorization }) => authorization === null;
/** Asks for the other organization's site with the demo key. */
export const isStranger: When = ({ query, authorization }) =>
  ["globex.example", "site_glbx"].includes(query.get("site") ?? "") && authorization === `Bearer ${DEMO_KEY}`;

/** Changes the JSON of answers with a status. */
export const edit =
  (when: When, change: (body: Body, asked: Asked) => unknown, status = 200): Breach =>
  (service) =>
  async (request, sent) => {
    const response = await service(request, sent);
    const asked = readAsked(request);
    if (response.status !== status || isHead(asked) || !when(asked)) return response;
    const body = await response.json();
    change(body, asked);
    return new Response(JSON.stringify(body), response);
  };

/** Changes the header fields of answers. */
export function fields(
  when: When,
  change: (headers: Headers, asked: Asked) => void,
  status?: number,
): Breach {
  return (service) => async (request, sent) => {
    const response = await service(request, sent);
    const asked = readAsked(request);
    if (status !== undefined && response.status !== status) return response;
    const copy = new Response(response.body, response);
    if (when(asked)) change(copy.headers, asked);
    return copy;
  };
}

export const without = (name: string, when: When = always, status?: number): Breach =>
  fields(when, (headers) => headers.delete(name), status);

export const field = (name: string, value: string, when: When = always, status?: number): Breach =>
  fields(when, (headers) => headers.set(name, value), status);

/** Treats a request as a different one. */
export function rewrite(when: When, change: (url: URL, headers: Headers, sent?: string) => void): Breach {
  return (service) => async (request, sent) => {
    if (!when(readAsked(request))) return service(request, sent);
    const url = new URL(request.url);
    const headers = new Headers(request.headers);
    change(url, headers, sent);
    return service(new Request(url, { method: request.method, headers }), sent);
  };
}

export const forget = (name: string, when: When): Breach =>
  rewrite(when, ({ searchParams }) => searchParams.delete(name));

export const read = (name: string, value: string, when: When): Breach =>
  rewrite(when, ({ searchParams }) => searchParams.set(name, value));

export const letIn = (when: When): Breach =>
  rewrite(when, (_, headers) => headers.set("authorization", `Bearer ${DEMO_KEY}`));

/** Answers have this tag, which also gets a 304. */
export function tagBy(when: When, choose: (asked: Asked) => string): Breach {
  const isOwn: When = (asked) => when(asked) && (asked.ifNoneMatch?.includes(choose(asked)) ?? false);
  const forward = rewrite(isOwn, (_, headers) => headers.set("if-none-match", "*"));
  const tag = fields(when, (headers, asked) => {
    if (headers.has("etag")) headers.set("etag", choose(asked));
  });
  return (service) => tag(forward(service));
}

/** Answers with an error. */
export const refuse =
  (when: When, status: number, code: string, from?: number): Breach =>
  (service) =>
  async (request, sent) => {
    const response = await service(request, sent);
    if ((from !== undefined && response.status !== from) || !when(readAsked(request))) return response;
    const id = response.headers.get("x-request-id") ?? "";
    const body = { type: "about:blank", title: "Error", status, detail: "Refused.", code, request_id: id };
    const headers = {
      "content-type": "application/problem+json",
      "cache-control": "no-store",
      "x-request-id": id,
      vary: "Authorization",
    };
    const text = request.method === "HEAD" || status === 304 ? null : JSON.stringify(body);
    return new Response(text, { status, headers });
  };
