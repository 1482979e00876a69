import { quote } from "../../errors.ts";
import { sites } from "../../operations/index.ts";
import type { Reply } from "../reply.ts";
import { demandRefusal } from "../reply-checks.ts";
import { defineSection, type Rule } from "../rule.ts";
import { read } from "../subject.ts";
import { demand, Skip } from "../verdict.ts";

/** An item of the IETF draft: `"name";key=number;…`. Items are separated by commas. */
const ITEM = /^("[^"]*"|[a-z*][\w.*-]*)((\s*;\s*[a-z*][\w.*-]*(=[^;,]+)?)*)$/i;

/** The number of a parameter in the first item; undefined if the field does not follow the draft. */
function readItem(field: string, key: string): number | undefined {
  const [first = ""] = field.split(/,(?=(?:[^"]*"[^"]*")*[^"]*$)/).map((item) => item.trim());
  const [, , parameters = ""] = ITEM.exec(first) ?? [];
  const value = new RegExp(`;\\s*${key}=(\\d+)`).exec(parameters)?.[1];
  return value === undefined ? undefined : Number(value);
}

function ofAnswer(check: (reply: Reply) => void): Rule["check"] {
  return async (subject) => check((await read(subject, sites)).reply);
}

export const rateLimit = defineSection({
  name: "rate-limit",
  title: "Rate limit",
  rules: [
    {
      id: "rate-limit.told",
      severity: "should",
      title:
        "Answers report the quota and what remains of it: RateLimit-Policy and RateLimit, or X-RateLimit-*.",
      fix: 'Send RateLimit-Policy: "default";q=120;w=60 and RateLimit: "default";r=119;t=42.',
      check: ofAnswer((reply) => {
        const names = ["ratelimit", "ratelimit-policy"];
        const isDraft = names.every((name) => reply.headers.has(name));
        const isOlder = reply.headers.has("x-ratelimit-limit") && reply.headers.has("x-ratelimit-remaining");
        const seen = [...reply.headers.keys()].filter((name) => name.includes("ratelimit"));
        demand(isDraft || isOlder, reply, "RateLimit-Policy and RateLimit", quote(seen));
      }),
    },
    {
      id: "rate-limit.form",
      title:
        'The fields follow the draft: "name";q=…;w=… and "name";r=…;t=…. X-RateLimit-* are whole numbers.',
      fix: "Follow draft-ietf-httpapi-ratelimit-headers: clients use these numbers to decide how long to wait.",
      check: ofAnswer((reply) => {
        const forms = [
          ["ratelimit-policy", "q"],
          ["ratelimit", "r"],
        ] as const;
        for (const [name, key] of forms) {
          const field = reply.headers.get(name);
          if (field === null) continue;
          demand(readItem(field, key) !== undefined, reply, `${name}: "default";${key}=…`, quote(field));
        }
        for (const name of ["x-ratelimit-limit", "x-ratelimit-remaining", "x-ratelimit-reset"]) {
          const field = reply.headers.get(name);
          if (field === null) continue;
          demand(/^\d+(\.\d+)?$/.test(field.trim()), reply, `a number in ${name}`, quote(field));
        }
      }),
    },
    {
      id: "rate-limit.within-quota",
      title: "The remaining quota is not greater than the quota.",
      fix: "Count the current request, too.",
      check: ofAnswer((reply) => {
        const pairs = [
          [
            readItem(reply.headers.get("ratelimit-policy") ?? "", "q"),
            readItem(reply.headers.get("ratelimit") ?? "", "r"),
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
    {
      id: "rate-limit.refusal",
      title: "A request beyond the quota gets 429, rate_limited, with Retry-After.",
      fix: "Send Retry-After in seconds or as a date.",
      check: async ({ refusals }) => {
        if (refusals.length === 0) throw new Skip("the quota was not used up during the run");
        for (const reply of refusals) {
          demandRefusal(reply, 429, "rate_limited");
          const wait = reply.headers.get("retry-after")?.trim() ?? "";
          const isWait = /^\d+$/.test(wait) || !Number.isNaN(Date.parse(wait));
          demand(isWait, reply, "Retry-After", wait === "" ? "none" : quote(wait));
        }
      },
    },
  ],
});
