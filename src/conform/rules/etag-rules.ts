import { quote } from "../../errors.ts";
import { BASE_PATH } from "../../operations/contract.ts";
import { realtime, sites, stats } from "../../operations/index.ts";
import { describeReply, type Reply, withoutAsOf } from "../reply.ts";
import { demandStatus, ofAnswers } from "../reply-checks.ts";
import type { Rules } from "../rule.ts";
import { allOperations, basicParams, dataOperations, read, type Subject } from "../subject.ts";
import { demand, Inconclusive, Skip } from "../verdict.ts";

/** The ETag of an answer. Throws Skip if there is none, which is a separate rule. */
export function tagOf({ headers }: Reply): string {
  const etag = headers.get("etag");
  if (etag === null) throw new Skip("there is no ETag: see headers.etag");
  return etag;
}

/** The tag without the mark of a weak one, which a proxy may add. */
const opaque = (etag: string) => etag.replace(/^W\//, "");

/**
 * Requests an answer again with an If-None-Match. If the numbers changed meanwhile, both requests are repeated once: the
 * first answer may be minutes old. Inconclusive if they change again.
 */
async function askAgain(
  subject: Subject,
  operation: (typeof allOperations)[number],
  ifNoneMatch: (etag: string) => string,
  isRepeated = false,
): Promise<Reply> {
  const { reply: first } = await read(subject, operation, {}, { fresh: isRepeated });
  const headers = { "if-none-match": ifNoneMatch(tagOf(first)) };
  const again = await subject.ask(operation.path, basicParams(subject, operation), { headers, fresh: true });
  if (again.status !== 200 || withoutAsOf(again) === withoutAsOf(first)) return again;
  if (isRepeated) throw new Inconclusive("today's numbers changed between the requests");
  return askAgain(subject, operation, ifNoneMatch, true);
}

/** The 304 for an answer's own ETag. Throws Skip if there is none, which is a separate rule. */
async function askForNotModified(subject: Subject): Promise<Reply> {
  const reply = await askAgain(subject, sites, (etag) => etag);
  if (reply.status !== 304) throw new Skip("the answer's own ETag gives no 304: see headers.etag-304");
  return reply;
}

const STABLE = [sites, stats] as const;

/** The content of an answer, as far as the contract gives it a meaning; undefined if it breaks the contract. */
function readContent({ sent, json }: Reply): string | undefined {
  const { pathname } = new URL(sent.url);
  const operation = dataOperations.find(({ path }) => pathname.endsWith(`${BASE_PATH}${path}`));
  const parsed = operation?.result.safeParse(json);
  if (!parsed?.success) return undefined;
  return JSON.stringify(parsed.data, (key, value) => (VOLATILE.has(key) ? undefined : value));
}

const VOLATILE = new Set(["as_of", "warnings"]);

/** Compares all answers of the run. Throws Skip if no address gave two different ones. */
function demandTagOfContent(answers: readonly Reply[]): void {
  const contents = new Map<string, string>();
  const addresses = new Map<string, string>();
  let hasChanged = false;
  for (const reply of answers) {
    const [etag, content] = [reply.headers.get("etag"), readContent(reply)];
    if (etag === null || content === undefined) continue;
    const tag = `${reply.sent.url} ${opaque(etag)}`;
    const earlier = contents.get(tag) ?? content;
    demand(earlier === content, reply, "another tag than an earlier answer with other content", quote(etag));
    contents.set(tag, content);
    hasChanged ||= (addresses.get(reply.sent.url) ?? content) !== content;
    addresses.set(reply.sent.url, content);
  }
  if (!hasChanged) throw new Skip("no address gave two different answers during the run");
}

export const etagRules = {
  "headers.etag": {
    must: "Answers have an ETag.",
    fix: "Compute it from the body without as_of.",
    check: ofAnswers(allOperations, ({ reply }) => {
      const etag = reply.headers.get("etag");
      const isTag = /^(W\/)?"[\x21\x23-\x7e\x80-\xff]*"$/.test(etag ?? "");
      demand(isTag, reply, 'ETag: W/"…"', etag === null ? "no ETag" : quote(etag));
    }),
  },
  "headers.etag-weak": {
    must: "The ETag is weak.",
    fix: 'Send W/"…": answers with the same tag may differ in as_of, so their bytes are not the same.',
    check: ofAnswers(dataOperations, ({ reply }) => {
      const etag = tagOf(reply);
      demand(etag.startsWith("W/"), reply, 'W/"…"', quote(etag));
    }),
  },
  "headers.etag-304": {
    must: "A request with the answer's ETag in If-None-Match gets 304.",
    fix: "Compare If-None-Match weakly (RFC 9110, section 13.1.2) and answer 304 without a body.",
    check: async (subject) => {
      for (const operation of allOperations) {
        const reply = await askAgain(subject, operation, (etag) => etag);
        const hasBody = reply.text === "" ? "" : " with a body";
        demand(reply.status === 304, reply, "status 304", `${describeReply(reply)}${hasBody}`);
      }
    },
  },
  "headers.etag-list": {
    should: "If-None-Match may list several tags or be *.",
    fix: "Parse it as a list (RFC 9110, section 13.1.2).",
    check: async (subject) => {
      await askForNotModified(subject);
      for (const list of [(etag: string) => `"conform", ${etag}`, () => "*"]) {
        demandStatus(await askAgain(subject, sites, list), 304);
      }
    },
  },
  "headers.etag-other": {
    must: "Another tag in If-None-Match gets the full answer.",
    fix: "Answer 304 only if one of the tags is that of the answer.",
    check: async (subject) => {
      for (const operation of STABLE) {
        demandStatus(await askAgain(subject, operation, () => 'W/"conform"'), 200);
      }
    },
  },
  "headers.etag-304-fields": {
    must: "A 304 has the ETag of the 200, and its Vary.",
    fix: "Send the same fields as with a 200 (RFC 9110, section 15.4.5).",
    check: async (subject) => {
      const { reply: first } = await read(subject, sites);
      const reply = await askForNotModified(subject);
      for (const name of ["etag", "vary"]) {
        if (first.headers.get(name) === null) continue;
        demand(reply.headers.get(name) !== null, reply, `the field ${name}`, "none");
      }
      const [expected, seen] = [opaque(tagOf(first)), opaque(reply.headers.get("etag") ?? "")];
      if (seen === expected) return;
      const { reply: again } = await read(subject, sites, {}, { fresh: true });
      if (tagOf(again) !== tagOf(first)) throw new Skip("the ETag changes: see headers.etag-without-as-of");
      demand(false, reply, `the ETag of the 200, ${quote(expected)}`, quote(seen));
    },
  },
  "headers.etag-without-as-of": {
    must: "The ETag stays the same if only as_of changes.",
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
  "headers.etag-changes": {
    should: "Answers for different periods have different ETags.",
    fix: "Compute the tag from the whole answer except as_of, not from the path or the time.",
    check: async (subject) => {
      const { reply: all } = await read(subject, stats, { days: 30 });
      const { reply: one } = await read(subject, stats, { days: 7 });
      const isOther = tagOf(all) !== tagOf(one);
      demand(isOther, one, "a different tag than for 30 days", quote(tagOf(one)));
    },
  },
  "headers.etag-of-content": {
    must: "Two different answers at one address never have the same ETag, whether a key or time makes the difference.",
    fix: "Compute the tag from the answer without as_of, never from the address: a browser would show old numbers forever.",
    check: async (subject) => {
      // Numbers that change soon were first read at the beginning of the run.
      for (const operation of [realtime, stats]) {
        await subject.ask(operation.path, basicParams(subject, operation), { fresh: true });
      }
      demandTagOfContent(subject.answers);
    },
  },
} satisfies Rules;
