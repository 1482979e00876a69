import { readHttpDate } from "../../client/response-headers.ts";
import { quote } from "../../errors.ts";
import { sites } from "../../operations/index.ts";
import type { Reply } from "../reply.ts";
import { demandRefusal, ofAnswers } from "../reply-checks.ts";
import { defineSection } from "../rule.ts";
import { demand, Skip } from "../verdict.ts";

/** An item of the IETF draft: `"name";key=number;…`, whose name is a string. Items are separated by commas. */
const ITEM = /^"[^"]*"((?:\s*;\s*[a-z*][\w.*-]*(?:=[^;,]+)?)*)$/i;

/** Parameters that are numbers: quota and window, what remains and the seconds until then. */
const NUMBERS = ["q", "w", "r", "t"];

/** The number of a parameter in each item; undefined if the field does not follow the draft. */
function readItems(field: string, key: string): number[] | undefined {
  const items = field.split(/,(?=(?:[^"]*"[^"]*")*[^"]*$)/).map((item) => readItem(item.trim(), key));
  return items.every((item) => item !== undefined) ? items : undefined;
}

function readItem(item: string, key: string): number | undefined {
  const [, list] = ITEM.exec(item) ?? [];
  const pairs = (list ?? "").split(";").map((pair) => pair.trim().split("=", 2));
  const isWhole = pairs.every(([name = "", value = ""]) => !NUMBERS.includes(name) || /^\d+$/.test(value));
  const value = pairs.find(([name]) => name === key)?.[1];
  return isWhole && value !== undefined ? Number(value) : undefined;
}

/** Whether Retry-After asks for a wait: at least a second, or a date that is not over. */
function asksToWait({ headers }: Reply): boolean {
  const wait = headers.get("retry-after")?.trim() ?? "";
  if (/^\d+$/.test(wait)) return Number(wait) > 0;
  const [until, sent] = [readHttpDate(wait), readHttpDate(headers.get("date"))];
  return until !== undefined && (sent === undefined || until > sent);
}

export const rateLimit = defineSection({
  name: "rate-limit",
  title: "Rate limit",
  rules: {
    "rate-limit.told": {
      should:
        "Answers report the quota and what remains of it: RateLimit-Policy and RateLimit, or X-RateLimit-*.",
      fix: 'Send RateLimit-Policy: "default";q=120;w=60 and RateLimit: "default";r=119;t=42.',
      check: ofAnswers([sites], ({ reply }) => {
        const names = ["ratelimit", "ratelimit-policy"];
        const isDraft = names.every((name) => reply.headers.has(name));
        const isOlder = reply.headers.has("x-ratelimit-limit") && reply.headers.has("x-ratelimit-remaining");
        const seen = [...reply.headers.keys()].filter((name) => name.includes("ratelimit"));
        demand(isDraft || isOlder, reply, "RateLimit-Policy and RateLimit", quote(seen));
      }),
    },
    "rate-limit.form": {
      must: 'The fields follow the draft: "name";q=…;w=… and "name";r=…;t=…, with a name in quotes and whole numbers. X-RateLimit-* are whole numbers, too.',
      fix: "Follow draft-ietf-httpapi-ratelimit-headers: clients use these numbers to decide how long to wait.",
      check: ofAnswers([sites], ({ reply }) => {
        const forms = [
          ["ratelimit-policy", "q"],
          ["ratelimit", "r"],
        ] as const;
        for (const [name, key] of forms) {
          const field = reply.headers.get(name);
          if (field === null) continue;
          demand(readItems(field, key) !== undefined, reply, `${name}: "default";${key}=…`, quote(field));
        }
        for (const name of ["x-ratelimit-limit", "x-ratelimit-remaining", "x-ratelimit-reset"]) {
          const field = reply.headers.get(name);
          if (field === null) continue;
          demand(/^\d+$/.test(field.trim()), reply, `a whole number in ${name}`, quote(field));
        }
      }),
    },
    "rate-limit.within-quota": {
      must: "The remaining quota is not greater than the quota.",
      fix: "Count the current request, too.",
      check: ofAnswers([sites], ({ reply }) => {
        const pairs = [
          [
            readItems(reply.headers.get("ratelimit-policy") ?? "", "q")?.[0],
            readItems(reply.headers.get("ratelimit") ?? "", "r")?.[0],
          ],
          [reply.headers.get("x-ratelimit-limit"), reply.headers.get("x-ratelimit-remaining")].map((field) =>
            field === null ? undefined : Number(field),
          ),
        ];
        for (const [quota, left] of pairs) {
          if (quota === undefined || left === undefined) continue;
          demand(!(left > quota), reply, `at most ${quota} left`, `${left} left`);
        }
      }),
    },
    "rate-limit.refusal": {
      must: "A request beyond the quota gets 429, rate_limited, with a Retry-After of at least a second.",
      fix: "Send Retry-After in whole seconds, rounded up, or as a date in the future.",
      check: async ({ refusals }) => {
        if (refusals.length === 0) throw new Skip("the quota was not used up during the run");
        for (const reply of refusals) {
          demandRefusal(reply, 429, "rate_limited");
          const wait = reply.headers.get("retry-after");
          demand(
            asksToWait(reply),
            reply,
            "a Retry-After of 1 or more",
            wait === null ? "none" : quote(wait),
          );
        }
      },
    },
  },
});
