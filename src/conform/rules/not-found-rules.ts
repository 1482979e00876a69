import { quote } from "../../errors.ts";
import { type Failure, isUnprompted, notFound } from "../../operations/not-found.ts";
import { openapi } from "../../operations/openapi.ts";
import { compareValues } from "../../operations/row-order.ts";
import { findParameters } from "../openapi-lookup.ts";
import type { Params } from "../probe.ts";
import { ofEach } from "../reply-checks.ts";
import { defineSection } from "../rule.ts";
import { compareStable } from "../stable-compare.ts";
import { basicParams, parse, type Read, read } from "../subject.ts";
import { demand, Skip } from "../verdict.ts";
import { isInvalid } from "./parameter-requests.ts";
import { type ListWords, listRules, ofEachRow } from "./request-list-rules.ts";
import { queryRules, readTwoDays } from "./request-query-rules.ts";

const words: ListWords = {
  row: "path",
  none: "nobody asked the site in vain in the last 30 days",
  group: "Group by the path, and put what you do not keep apart into one row with the value null.",
};

function demandStatus({ reply, answer }: Read<typeof notFound>, status: Failure): void {
  demand(answer.status === status, reply, `status ${quote(status)}`, quote(answer.status));
}

export const notFoundSection = defineSection({
  name: "not-found",
  title: "Dead links (if offered)",
  rules: {
    ...listRules(notFound, words),
    "not-found.visitors": {
      must: "A row with requests has at least one visitor, and no more visitors than requests.",
      fix: "Count the distinct people of each day who asked for the path, and add up the days.",
      check: ofEachRow(notFound, words, ({ visitors, requests }) =>
        visitors <= requests && (visitors > 0 || requests === 0) ? undefined : `1 to ${requests} visitors`,
      ),
    },
    "not-found.unprompted": {
      must: "No row is a path that browsers ask for unprompted.",
      fix: "Leave out /favicon.ico, /apple-touch-icon*.png and everything below /.well-known/.",
      check: ofEachRow(notFound, words, ({ value }) =>
        value !== null && isUnprompted(value) ? "no such path" : undefined,
      ),
    },
    "not-found.other": {
      must: "Only the row with other: true has the value null.",
      fix: "Send the path as value, and other: true for the row of all paths that you do not keep.",
      check: ofEachRow(notFound, words, ({ value, other }) =>
        (value === null) === (other === true) ? undefined : "a path, or null with other: true",
      ),
    },
    "not-found.referrers": {
      must: "A row's referrers are different, and have no more requests than the row.",
      fix: "Add up a path's requests by the page that led there, over all days, before you cut them to three.",
      check: ofEachRow(notFound, words, ({ referrers, requests }) => {
        const isOnce = new Set(referrers.map(({ value }) => value)).size === referrers.length;
        const sum = referrers.reduce((all, each) => all + each.requests, 0);
        return isOnce && sum <= requests
          ? undefined
          : `different referrers with at most ${requests} requests`;
      }),
    },
    "not-found.referrer-order": {
      must: "Referrers are ordered by requests, highest first, then by value.",
      fix: "Sort a row's referrers as the rows.",
      check: ofEachRow(notFound, words, ({ referrers }) => {
        const isWrong = referrers.some((each, index) => {
          const before = referrers[index - 1] ?? each;
          const isTie = before.requests === each.requests;
          return isTie ? compareValues(before.value, each.value) > 0 : before.requests < each.requests;
        });
        return isWrong ? "referrers by requests, then by value" : undefined;
      }),
    },
    "not-found.internal": {
      must: "A referrer with internal: true is a path that begins with a slash, and no other is.",
      fix: "Send the path of a page of the site itself, and the host of any other page.",
      check: ofEachRow(notFound, words, ({ referrers }) =>
        referrers.every(({ value, internal }) => value.startsWith("/") === internal)
          ? undefined
          : "a path with internal: true, or a host with internal: false",
      ),
    },
    ...queryRules(notFound, words, {
      measure: "visitors",
      countDays: "visitors are distinct within each day and added up over the days",
    }),
    "not-found.status": {
      must: "If status is offered, the answer repeats it, 4xx is the default, 5xx leaves out no scanners, and any other is refused.",
      fix: "Send back the status of the query, count the requests answered 500–599 of all senders but bots for 5xx, and refuse other values: 400, invalid_parameter.",
      check: async (subject) => {
        const basic = basicParams(subject, notFound);
        await read(subject, notFound);
        const { reply: described } = await read(subject, openapi);
        if (!findParameters(described.json, notFound).has("status"))
          throw new Skip("the service does not offer status");
        const ask = async (params: Params) =>
          parse(notFound, await subject.ask(notFound.path, { ...basic, ...params }));
        const failing = await ask({ status: "5xx", days: 7 });
        demandStatus(failing, "5xx");
        await compareStable(
          (fresh) => read(subject, notFound, {}, { fresh }),
          async ({ answer: plain }) => {
            const missing = await ask({ status: "4xx" });
            demandStatus(missing, "4xx");
            const [expected, seen] = [plain, missing.answer].map(
              ({ totals }) => `${totals.requests} requests`,
            );
            demand(expected === seen, missing.reply, `${expected}, as without status`, `${seen}`);
          },
        );
        const { scanners } = failing.answer.excluded;
        demand(scanners === 0, failing.reply, "no scanners in excluded", `${scanners}`);
        await ofEach([notFound], [{ status: "3xx" }, { status: "404" }], isInvalid)(subject);
      },
    },
    "not-found.dates-excluded": {
      must: "If from and to are offered, excluded adds up over the days.",
      fix: "Count the requests of bots and scanners for each day, and add up the days.",
      check: async (subject) => {
        const { both, days } = await readTwoDays(notFound, subject);
        const sum = (name: "bots" | "scanners") =>
          days.reduce((all, { answer }) => all + answer.excluded[name], 0);
        const expected = { bots: sum("bots"), scanners: sum("scanners") };
        const { bots, scanners } = both.answer.excluded;
        const holds = bots === expected.bots && scanners === expected.scanners;
        demand(holds, both.reply, `${quote(expected)}, as of each day`, quote({ bots, scanners }));
      },
    },
  },
});
