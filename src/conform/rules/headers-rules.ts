import { realtime, sites, stats } from "../../operations/index.ts";
import { describeReply, quote, type Reply, withoutAsOf } from "../reply.ts";
import { demandStatus } from "../reply-checks.ts";
import type { Rule, Section } from "../rule.ts";
import {
  allOperations,
  basicParams,
  dataOperations,
  periodOperations,
  read,
  type Subject,
} from "../subject.ts";
import { demand, Inconclusive, Skip } from "../verdict.ts";
import { provokeErrors } from "./errors-rules.ts";

type Operations = readonly (typeof allOperations)[number][];

/** Checks the basic answer of each operation. */
function ofEach(operations: Operations, check: (reply: Reply) => void): Rule["check"] {
  return async (subject) => {
    for (const operation of operations) check((await read(subject, operation)).reply);
  };
}

/** The ETag of an answer. Throws Skip if there is none, which is a separate rule. */
function tagOf({ headers }: Reply): string {
  const etag = headers.get("etag");
  if (etag === null) throw new Skip("there is no ETag: see headers.etag");
  return etag;
}

/** Requests an answer again with an If-None-Match. Inconclusive if the numbers changed meanwhile. */
async function askAgain(
  subject: Subject,
  operation: (typeof allOperations)[number],
  ifNoneMatch: (etag: string) => string,
): Promise<Reply> {
  const { reply: first } = await read(subject, operation);
  const headers = { "if-none-match": ifNoneMatch(tagOf(first)) };
  const again = await subject.ask(operation.path, basicParams(subject, operation), { headers, fresh: true });
  if (again.status === 200 && withoutAsOf(again) !== withoutAsOf(first)) {
    throw new Inconclusive("today's numbers changed between the requests");
  }
  return again;
}

/** The 304 for an answer's own ETag. Throws Skip if there is none, which is a separate rule. */
async function askForNotModified(subject: Subject): Promise<Reply> {
  const reply = await askAgain(subject, sites, (etag) => etag);
  if (reply.status !== 304) throw new Skip("the answer's own ETag gives no 304: see headers.etag-304");
  return reply;
}

/** The seconds of `max-age`, if it is there. */
function readMaxAge(cache: string): number | undefined {
  const [, seconds] = /(?:^|[\s,])max-age\s*=\s*"?(\d+)/i.exec(cache) ?? [];
  return seconds === undefined ? undefined : Number(seconds);
}

const cacheOf = ({ headers }: Reply) => headers.get("cache-control") ?? "";

const STABLE = [sites, stats] as const;

export const headers: Section = {
  name: "headers",
  title: "Headers",
  rules: [
    {
      id: "headers.json",
      severity: "must",
      title: "Answers are application/json.",
      fix: "Send Content-Type: application/json with every 200.",
      check: ofEach(allOperations, (reply) => {
        const type = reply.headers.get("content-type");
        const isJson = /^application\/(json|openapi\+json|vnd\.oai\.openapi\+json)\s*(;|$)/i.test(type ?? "");
        demand(isJson, reply, "application/json", type === null ? "no Content-Type" : quote(type));
      }),
    },
    {
      id: "headers.snake-case",
      severity: "should",
      title: "Member names are snake_case.",
      fix: "Name every member in lower case with underscores, including additional members.",
      check: ofEach(dataOperations, (reply) => {
        const name = findName(reply.json, (each) => !/^[a-z][a-z0-9]*(_[a-z0-9]+)*$/.test(each));
        demand(name === undefined, reply, "snake_case", quote(name));
      }),
    },
    {
      id: "headers.request-id",
      severity: "must",
      title: "Every answer has an X-Request-Id, including errors.",
      fix: "Set the id when a request arrives, so that no answer lacks it.",
      check: async (subject) => {
        const answers = await collect(subject);
        for (const reply of [...answers, ...(await provokeErrors(subject))]) {
          const id = reply.headers.get("x-request-id") ?? "";
          demand(id.trim() !== "", reply, "X-Request-Id", "none");
        }
      },
    },
    {
      id: "headers.request-id-unique",
      severity: "must",
      title: "No two answers have the same X-Request-Id.",
      fix: "Create a new id for each request; never repeat one from a cache.",
      check: async (subject) => {
        const seen = new Set<string>();
        for (const reply of [...(await collect(subject)), ...(await provokeErrors(subject))]) {
          const id = reply.headers.get("x-request-id");
          if (id === null) continue;
          demand(!seen.has(id), reply, "a new id", `${quote(id)} again`);
          seen.add(id);
        }
      },
    },
    {
      id: "headers.vary",
      severity: "must",
      title: "Answers have Vary: Authorization.",
      fix: "Send Vary: Authorization, so that no cache gives one key's answer to another key.",
      check: ofEach(dataOperations, (reply) => {
        const vary = reply.headers.get("vary") ?? "";
        const holds = vary.split(",").some((each) => /^(authorization|\*)$/i.test(each.trim()));
        demand(holds, reply, "Vary: Authorization", vary === "" ? "no Vary" : `Vary: ${quote(vary)}`);
      }),
    },
    {
      id: "headers.cache-private",
      severity: "must",
      title: "No shared cache may store an answer: Cache-Control is never public.",
      fix: "Send private; use public and s-maxage only for pages without a key.",
      check: ofEach(dataOperations, (reply) => {
        const isShared = /(^|[\s,])(public|s-maxage)/i.test(cacheOf(reply));
        demand(!isShared, reply, "Cache-Control: private", quote(cacheOf(reply)));
      }),
    },
    {
      id: "headers.cache-partial",
      severity: "must",
      title: "A partial period has Cache-Control: private, max-age=60.",
      fix: "Send Cache-Control: private, max-age=60 while the period is partial.",
      check: ofEach(periodOperations, (reply) => {
        const cache = cacheOf(reply);
        // public breaks another rule.
        const isPrivate = /(^|[\s,])(private|public)/i.test(cache);
        const holds = isPrivate && readMaxAge(cache) === 60;
        demand(holds, reply, "Cache-Control: private, max-age=60", cache === "" ? "none" : quote(cache));
      }),
    },
    {
      id: "headers.cache-realtime",
      severity: "must",
      title: "A realtime answer is not reused without asking: Cache-Control: no-cache.",
      fix: "Send Cache-Control: no-cache on /realtime.",
      check: ofEach([realtime], (reply) => {
        const cache = cacheOf(reply);
        const holds = /(^|[\s,])(no-cache|no-store)/i.test(cache);
        demand(holds, reply, "Cache-Control: no-cache", cache === "" ? "none" : quote(cache));
      }),
    },
    {
      id: "headers.etag",
      severity: "must",
      title: "Answers have an ETag.",
      fix: "Compute it from the body without as_of.",
      check: ofEach(allOperations, (reply) => {
        const etag = reply.headers.get("etag");
        const isTag = /^(W\/)?"[\x21\x23-\x7e\x80-\xff]*"$/.test(etag ?? "");
        demand(isTag, reply, 'ETag: W/"…"', etag === null ? "no ETag" : quote(etag));
      }),
    },
    {
      id: "headers.etag-weak",
      severity: "must",
      title: "The ETag is weak.",
      fix: 'Send W/"…": answers with the same tag may differ in as_of, so their bytes are not the same.',
      check: ofEach(dataOperations, (reply) => {
        const etag = tagOf(reply);
        demand(etag.startsWith("W/"), reply, 'W/"…"', quote(etag));
      }),
    },
    {
      id: "headers.etag-304",
      severity: "must",
      title: "A request with the answer's ETag in If-None-Match gets 304.",
      fix: "Compare If-None-Match weakly (RFC 9110, section 13.1.2) and answer 304 without a body.",
      check: async (subject) => {
        for (const operation of allOperations) {
          const reply = await askAgain(subject, operation, (etag) => etag);
          const hasBody = reply.text === "" ? "" : " with a body";
          demand(reply.status === 304, reply, "status 304", `${describeReply(reply)}${hasBody}`);
        }
      },
    },
    {
      id: "headers.etag-list",
      severity: "should",
      title: "If-None-Match may list several tags or be *.",
      fix: "Parse it as a list (RFC 9110, section 13.1.2).",
      check: async (subject) => {
        await askForNotModified(subject);
        for (const list of [(etag: string) => `"conform", ${etag}`, () => "*"]) {
          demandStatus(await askAgain(subject, sites, list), 304);
        }
      },
    },
    {
      id: "headers.etag-other",
      severity: "must",
      title: "Another tag in If-None-Match gets the full answer.",
      fix: "Answer 304 only if one of the tags is that of the answer.",
      check: async (subject) => {
        for (const operation of STABLE) {
          demandStatus(await askAgain(subject, operation, () => 'W/"conform"'), 200);
        }
      },
    },
    {
      id: "headers.etag-304-fields",
      severity: "must",
      title: "A 304 has the ETag and Vary of the 200.",
      fix: "Send the same fields as with a 200 (RFC 9110, section 15.4.5).",
      check: async (subject) => {
        const { reply: first } = await read(subject, sites);
        const reply = await askForNotModified(subject);
        for (const name of ["etag", "vary"]) {
          if (first.headers.get(name) === null) continue;
          demand(reply.headers.get(name) !== null, reply, `the field ${name}`, "none");
        }
      },
    },
    {
      id: "headers.etag-without-as-of",
      severity: "must",
      title: "The ETag stays the same if only as_of changes.",
      fix: "Compute the tag without as_of: otherwise it never matches.",
      check: async (subject) => {
        for (const operation of STABLE) {
          const { reply: first } = await read(subject, operation, {}, { fresh: true });
          await subject.pause(1_100);
          const { reply: second } = await read(subject, operation, {}, { fresh: true });
          if (withoutAsOf(first) !== withoutAsOf(second)) {
            throw new Inconclusive("today's numbers changed between the requests");
          }
          demand(tagOf(first) === tagOf(second), second, quote(tagOf(first)), quote(tagOf(second)));
        }
      },
    },
    {
      id: "headers.etag-changes",
      severity: "must",
      title: "Answers with other numbers have another ETag.",
      fix: "Compute the tag from the whole answer except as_of, not from the path or the time.",
      check: async (subject) => {
        const { reply: all } = await read(subject, stats, { days: 30 });
        const { reply: one } = await read(subject, stats, { days: 7 });
        const isOther = tagOf(all) !== tagOf(one);
        demand(isOther, one, "a different tag than for 30 days", quote(tagOf(one)));
      },
    },
    {
      id: "headers.head",
      severity: "must",
      title: "HEAD answers like GET: the same status and fields.",
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
        }
      },
    },
    {
      id: "headers.head-errors",
      severity: "must",
      title: "HEAD of a site that does not exist gives 404, and without a key 401.",
      fix: "Handle HEAD like GET, including errors.",
      check: async ({ ask }) => {
        demandStatus(await ask(stats.path, { site: "conform.invalid" }, { method: "HEAD" }), 404);
        demandStatus(await ask(sites.path, "", { method: "HEAD", key: null }), 401);
      },
    },
  ],
};

/** The basic answer of each operation. */
async function collect(subject: Subject): Promise<Reply[]> {
  const replies: Reply[] = [];
  for (const operation of allOperations) replies.push((await read(subject, operation)).reply);
  return replies;
}

/** The first matching member name, at any depth. */
function findName(value: unknown, isWanted: (name: string) => boolean): string | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  for (const [name, each] of Object.entries(value)) {
    if (!Array.isArray(value) && isWanted(name)) return name;
    const found = findName(each, isWanted);
    if (found !== undefined) return found;
  }
  return undefined;
}
