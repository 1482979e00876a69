import { quote } from "../../errors.ts";
import { openapi, realtime, sites, stats } from "../../operations/index.ts";
import type { Reply } from "../reply.ts";
import { demandCache, demandStatus, demandVary, isShared, ofAnswers, readMaxAge } from "../reply-checks.ts";
import { defineSection } from "../rule.ts";
import {
  allOperations,
  basicParams,
  dataOperations,
  periodOperations,
  read,
  type Subject,
} from "../subject.ts";
import { demand } from "../verdict.ts";
import { provokeErrors } from "./errors-rules.ts";
import { etagRules } from "./etag-rules.ts";

/** Demands that only the caller's own cache keeps an answer, so many seconds. public breaks another rule. */
const demandAge = (reply: Reply, seconds: number) =>
  demandCache(
    reply,
    `private, max-age=${seconds}`,
    (cache) => /(^|[\s,])(private|public)/i.test(cache) && readMaxAge(cache) === seconds,
  );

export const headers = defineSection({
  name: "headers",
  title: "Headers",
  rules: {
    "headers.json": {
      must: "Answers are application/json.",
      fix: "Send Content-Type: application/json with every 200.",
      check: ofAnswers(allOperations, ({ reply }) => {
        const type = reply.headers.get("content-type");
        const isJson = /^application\/(json|openapi\+json|vnd\.oai\.openapi\+json)\s*(;|$)/i.test(type ?? "");
        demand(isJson, reply, "application/json", type === null ? "no Content-Type" : quote(type));
      }),
    },
    "headers.snake-case": {
      should: "Member names are snake_case.",
      fix: "Name every member in lower case with underscores, including additional members.",
      check: ofAnswers(dataOperations, ({ reply }) => {
        const name = findName(reply.json, (member) => !/^[a-z][a-z0-9]*(_[a-z0-9]+)*$/.test(member));
        demand(name === undefined, reply, "snake_case", quote(name));
      }),
    },
    "headers.request-id": {
      must: "Every answer has an X-Request-Id, including errors.",
      fix: "Set the id when a request arrives, so that no answer lacks it.",
      check: async (subject) => {
        for (const reply of await collect(subject)) {
          const id = reply.headers.get("x-request-id") ?? "";
          demand(id.trim() !== "", reply, "X-Request-Id", "none");
        }
      },
    },
    "headers.request-id-unique": {
      must: "No two answers have the same X-Request-Id.",
      fix: "Create a new id for each request; never repeat one from a cache.",
      check: async (subject) => {
        const seen = new Set<string>();
        for (const reply of await collect(subject)) {
          const id = reply.headers.get("x-request-id");
          if (id === null) continue;
          demand(!seen.has(id), reply, "a new id", `${quote(id)} again`);
          seen.add(id);
        }
      },
    },
    "headers.vary": {
      must: "Answers have Vary: Authorization.",
      fix: "Send Vary: Authorization, so that no cache gives one key's answer to another key.",
      check: ofAnswers(dataOperations, ({ reply }) => demandVary(reply)),
    },
    "headers.cache-private": {
      must: "No shared cache may store an answer: Cache-Control is never public.",
      fix: "Send private; use public and s-maxage only for pages without a key.",
      check: ofAnswers(dataOperations, ({ reply }) =>
        demandCache(reply, "private", (cache) => !isShared(cache)),
      ),
    },
    "headers.cache-partial": {
      must: "A partial period has Cache-Control: private, max-age=60.",
      fix: "Send Cache-Control: private, max-age=60 while the period is partial.",
      check: ofAnswers(periodOperations, ({ reply }) => demandAge(reply, 60)),
    },
    "headers.cache-lists": {
      should: "Cache-Control is private, max-age=60 for /sites, and private, max-age=3600 for /openapi.json.",
      fix: "Send these values: a new site is then listed after a minute, and the document is not read again for an hour.",
      check: ofAnswers([sites, openapi], ({ reply }) =>
        demandAge(reply, reply.sent.url.endsWith(sites.path) ? 60 : 3600),
      ),
    },
    "headers.cache-realtime": {
      must: "A realtime answer is not reused without asking: Cache-Control: no-cache.",
      fix: "Send Cache-Control: no-cache on /realtime.",
      check: ofAnswers([realtime], ({ reply }) =>
        demandCache(reply, "no-cache", (cache) => /(^|[\s,])(no-cache|no-store)/i.test(cache)),
      ),
    },
    ...etagRules,
    "headers.head": {
      must: "HEAD answers like GET: the same status and fields.",
      fix: "Handle HEAD like GET and omit the body.",
      check: async (subject) => {
        for (const operation of allOperations) {
          const { reply: get } = await read(subject, operation);
          const params = basicParams(subject, operation);
          const head = await subject.ask(operation.path, params, { method: "HEAD" });
          demandStatus(head, get.status);
          for (const name of ["content-type", "cache-control", "vary"]) {
            const [expected, seen] = [get.headers.get(name), head.headers.get(name)];
            demand(seen === expected, head, `${name}: ${expected}`, `${name}: ${seen}`);
          }
          // Another length may be right: numbers grow, and a proxy may compress. An empty body is never that of a 200.
          const length = head.headers.get("content-length");
          const expected = `the Content-Length of GET (${Buffer.byteLength(get.text)}), or none`;
          demand(Number(length ?? 1) > 0, head, expected, `Content-Length: ${length}`);
        }
      },
    },
    "headers.head-errors": {
      must: "HEAD of a site that does not exist gives 404, and without a key 401.",
      fix: "Handle HEAD like GET, including errors.",
      check: async ({ ask }) => {
        demandStatus(await ask(stats.path, { site: "conform.invalid" }, { method: "HEAD" }), 404);
        demandStatus(await ask(sites.path, "", { method: "HEAD", key: null }), 401);
      },
    },
  },
});

/** The basic answer of each operation, and one error of each kind. */
async function collect(subject: Subject): Promise<Reply[]> {
  const replies: Reply[] = [];
  for (const operation of allOperations) replies.push((await read(subject, operation)).reply);
  return [...replies, ...(await provokeErrors(subject))];
}

/** The first matching member name, at any depth. */
function findName(value: unknown, isWanted: (name: string) => boolean): string | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  for (const [name, member] of Object.entries(value)) {
    if (!Array.isArray(value) && isWanted(name)) return name;
    const found = findName(member, isWanted);
    if (found !== undefined) return found;
  }
  return undefined;
}
