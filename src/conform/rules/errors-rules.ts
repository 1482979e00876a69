import { describeMismatch } from "../../client/result-parser.ts";
import { quote } from "../../errors.ts";
import { sites, stats } from "../../operations/index.ts";
import { problem } from "../../operations/problem.ts";
import { describeReply, member, type Reply } from "../reply.ts";
import { answers, demandRefusal, demandVary, ofReplies } from "../reply-checks.ts";
import { defineSection, type Rule } from "../rule.ts";
import type { Subject } from "../subject.ts";
import { demand, Skip } from "../verdict.ts";

/** No such site exists, so no method can do harm. */
const NO_SUCH_SITE = { site: "conform.invalid" };
const METHODS = ["POST", "PUT", "PATCH", "DELETE"];

/** Causes one error of each kind: no key, wrong key, no such path, no such site, wrong parameter, wrong method. */
export const provokeErrors = async ({ ask, keys }: Subject): Promise<Reply[]> => [
  await ask(sites.path, "", { key: null }),
  await ask(sites.path, "", { key: keys.wrong }),
  await ask("/conform"),
  await ask(stats.path, NO_SUCH_SITE),
  await ask(stats.path, { days: 0 }),
  await ask(stats.path, NO_SUCH_SITE, { method: "POST" }),
];

/** Checks one error of each kind. */
const ofEach =
  (check: (reply: Reply, subject: Subject) => void): Rule["check"] =>
  async (subject) => {
    const replies = (await provokeErrors(subject)).filter(({ status }) => status >= 400);
    if (replies.length === 0) throw new Skip("no request is refused");
    for (const reply of replies) check(reply, subject);
  };

/** Checks the problem document of each error. Skips if it is invalid, which is a separate rule. */
const ofEachProblem = (check: (reply: Reply, subject: Subject) => void): Rule["check"] =>
  ofEach((reply, subject) => {
    if (!problem().safeParse(reply.json).success)
      throw new Skip("an error is not a problem document: see errors.members");
    check(reply, subject);
  });

/** Whether a path with a slash at its end is redirected to the same path without it. */
function isRedirectedToStats({ status, headers, sent }: Reply): boolean {
  const location = headers.get("location");
  if (![301, 302, 303, 307, 308].includes(status) || location === null) return false;
  if (!URL.canParse(location, sent.url)) return false;
  const [from, to] = [new URL(sent.url), new URL(location, sent.url)];
  return to.host === from.host && `${to.pathname}/` === from.pathname;
}

export const errors = defineSection({
  name: "errors",
  title: "Errors",
  rules: {
    "errors.problem-json": {
      must: "Errors are application/problem+json.",
      fix: "Send Content-Type: application/problem+json with every error (RFC 9457).",
      check: ofEach((reply) => {
        const type = reply.headers.get("content-type");
        const isProblem = /^application\/problem\+json\s*(;|$)/i.test(type ?? "");
        demand(isProblem, reply, "application/problem+json", type === null ? "no Content-Type" : quote(type));
      }),
    },
    "errors.members": {
      must: "An error has type, title, status, detail, code and request_id.",
      fix: "Send every member with the contract's type, also in errors of proxies and gateways.",
      check: ofEach((reply) => {
        const parsed = problem().safeParse(reply.json);
        if (parsed.success) return;
        const seen =
          reply.json === undefined ? describeReply(reply) : describeMismatch(parsed.error, reply.json);
        demand(false, reply, "the members of a problem", seen);
      }),
    },
    "errors.status-repeated": {
      must: "status repeats the HTTP status.",
      fix: "Set both from the same value.",
      check: ofEachProblem((reply) => {
        const status = member(reply.json, "status");
        demand(status === reply.status, reply, `status: ${reply.status}`, `status: ${quote(status)}`);
      }),
    },
    "errors.request-id-repeated": {
      must: "request_id repeats X-Request-Id.",
      fix: "Create the id once per request.",
      check: ofEachProblem((reply) => {
        const header = reply.headers.get("x-request-id");
        if (header === null) throw new Skip("there is no X-Request-Id: see headers.request-id");
        const id = member(reply.json, "request_id");
        demand(id === header, reply, quote(header), quote(id));
      }),
    },
    "errors.says-what": {
      must: "title and detail are not empty.",
      fix: "In detail, say what went wrong this time and what to do.",
      check: ofEachProblem((reply) => {
        const [title, detail] = [member(reply.json, "title"), member(reply.json, "detail")];
        const hasWords = `${title}`.trim() !== "" && `${detail}`.trim() !== "";
        demand(hasWords, reply, "a title and a detail", quote({ title, detail }));
      }),
    },
    "errors.type": {
      should: "type is a URI reference, or about:blank.",
      fix: "Send about:blank, or the address of a page about the problem.",
      check: ofEachProblem((reply) => {
        const type = String(member(reply.json, "type"));
        const isReference =
          type !== "" && !/[\s<>"]/.test(type) && URL.canParse(type, "https://conform.invalid");
        demand(isReference, reply, "a URI reference", quote(type));
      }),
    },
    "errors.no-key": {
      must: "An error does not repeat the key.",
      fix: "Keep credentials out of messages, because messages end up in logs.",
      check: ofEach((reply, { keys }) => {
        const isRepeated = [keys.own, keys.wrong].some(({ value }) => reply.text.includes(value));
        demand(!isRepeated, reply, "a text without the key", "the key that was sent");
      }),
    },
    "errors.no-store": {
      should: "Errors are not cached: Cache-Control: no-store.",
      fix: "Send Cache-Control: no-store with every error.",
      check: ofEach((reply) => {
        const cache = reply.headers.get("cache-control");
        demand(/no-store/i.test(cache ?? ""), reply, "Cache-Control: no-store", cache ?? "no Cache-Control");
      }),
    },
    "errors.vary": {
      should: "Errors have Vary: Authorization, like answers.",
      fix: "Send Vary: Authorization with every error: with another key, the answer is another one.",
      check: ofEach((reply) => demandVary(reply)),
    },
    "errors.no-such-path": {
      must: "A path that does not exist gives 404, not_found. /stats/ may also be redirected to /stats.",
      fix: "Answer 404 with the code not_found, never a web page.",
      check: async ({ ask }) => {
        demandRefusal(await ask("/conform"), 404, "not_found");
        const slash = await ask(`${stats.path}/`);
        if (!isRedirectedToStats(slash)) demandRefusal(slash, 404, "not_found");
      },
    },
    "errors.path-first": {
      should: "The path is checked before the key: without a key, an unknown path still gives 404.",
      fix: "Check path, method, key, quota, parameters and site in this order.",
      check: ofReplies(() => [["/conform", "", { key: null }]], answers(404)),
    },
    "errors.method": {
      must: "A method other than GET and HEAD gives 405, method_not_allowed.",
      fix: "Refuse every other method on every path before looking up the site.",
      check: ofReplies(
        () => METHODS.map((method) => [stats.path, NO_SUCH_SITE, { method }]),
        answers(405, "method_not_allowed"),
      ),
    },
    "errors.allow": {
      must: "A 405 lists GET and HEAD in Allow, and no method that writes.",
      fix: "Send Allow: GET, HEAD (RFC 9110, section 15.5.6).",
      check: async ({ ask }) => {
        const reply = await ask(stats.path, NO_SUCH_SITE, { method: "POST" });
        if (reply.status !== 405) throw new Skip("no method is refused with 405: see errors.method");
        const allow = reply.headers.get("allow") ?? "";
        const methods = allow.split(",").map((method) => method.trim().toUpperCase());
        const holds =
          methods.includes("GET") &&
          methods.includes("HEAD") &&
          !METHODS.some((method) => methods.includes(method));
        demand(holds, reply, "Allow: GET, HEAD", allow === "" ? "no Allow" : quote(allow));
      },
    },
    "errors.method-first": {
      should: "The method is checked before the key: a POST without a key still gives 405.",
      fix: "Check path, method, key, quota, parameters and site in this order.",
      check: ofReplies(() => [[stats.path, NO_SUCH_SITE, { method: "POST", key: null }]], answers(405)),
    },
  },
});
