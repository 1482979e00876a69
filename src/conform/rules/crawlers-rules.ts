import { quote } from "../../errors.ts";
import { crawlerPurposes, crawlers } from "../../operations/crawlers.ts";
import { addDays } from "../../operations/days.ts";
import type { ResultOf } from "../../operations/operation.ts";
import { demandLocalTime } from "../local-time.ts";
import { defineSection } from "../rule.ts";
import { read, type Subject } from "../subject.ts";
import { demand } from "../verdict.ts";
import { findOffering } from "./dates-rules.ts";
import { type ListWords, listRules, ofEachRow } from "./request-list-rules.ts";
import { queryRules, readDates } from "./request-query-rules.ts";

type Crawlers = ResultOf<typeof crawlers>;

const words: ListWords = {
  row: "crawler",
  none: "no crawler read the site in the last 30 days",
  group:
    "Group by the crawler's name, and put everything without a known name into one row with the value null.",
};

/** Whether some number of failed requests rounds to the percentage. */
function isShare(percentage: number, requests: number): boolean {
  if (requests === 0) return percentage === 0;
  const errors = Math.round((percentage * requests) / 100);
  return Math.abs((100 * errors) / requests - percentage) <= 0.05 + 1e-9;
}

const hasOneDecimal = (value: number) => Math.abs(value * 10 - Math.round(value * 10)) < 1e-6;

/** What was expected of a row's `last_seen`; undefined if it is in the period. */
function expectLastSeen({ last_seen }: Crawlers["rows"][number], { period }: Crawlers, { site }: Subject) {
  const day = demandLocalTime(last_seen, site.timezone).slice(0, 10);
  const isWithin = day >= period.from && day <= period.to;
  const isPast = Date.parse(last_seen) <= Date.parse(period.as_of);
  return isWithin && isPast
    ? undefined
    : `last_seen from ${period.from} to ${period.to}, until ${period.as_of}`;
}

export const crawlersSection = defineSection({
  name: "crawlers",
  title: "Crawlers (if offered)",
  rules: {
    ...listRules(crawlers, words),
    "crawlers.pages": {
      must: "A row with requests has at least one page, and no more pages than requests.",
      fix: "Count the distinct paths of each day, and add up the days.",
      check: ofEachRow(crawlers, words, ({ pages, requests }) =>
        pages <= requests && (pages > 0 || requests === 0) ? undefined : `1 to ${requests} pages`,
      ),
    },
    "crawlers.error-percentage": {
      must: "error_percentage is a possible share of the row's requests, rounded to one decimal place.",
      fix: "Divide the requests answered with 4xx or 5xx by requests, and round half up to tenths.",
      check: ofEachRow(crawlers, words, ({ error_percentage, requests }) =>
        hasOneDecimal(error_percentage) && isShare(error_percentage, requests)
          ? undefined
          : `a share of ${requests} requests, with one decimal place`,
      ),
    },
    "crawlers.last-seen": {
      must: "last_seen is in the period, by the site's calendar, and not after as_of.",
      fix: "Send the time of the crawler's last request in the requested days.",
      check: ofEachRow(crawlers, words, expectLastSeen),
    },
    "crawlers.purpose": {
      should: `purpose is one of ${crawlerPurposes.join(", ")}.`,
      fix: "Send other if none of the others fits.",
      check: ofEachRow(crawlers, words, ({ purpose }) =>
        crawlerPurposes.some((known) => known === purpose)
          ? undefined
          : `one of ${crawlerPurposes.join(", ")}`,
      ),
    },
    "crawlers.labels": {
      should: "Every row has a label for people that is not empty.",
      fix: "Send the crawler's name, or a label such as (unknown).",
      check: ofEachRow(crawlers, words, ({ label }) => (label.trim() === "" ? "a label" : undefined)),
    },
    ...queryRules(crawlers, words, {
      measure: "pages",
      countDays: "pages are distinct within each day and added up over the days",
    }),
    "crawlers.dates-last-seen": {
      must: "If from and to are offered, last_seen is within those days, even if the crawler came again.",
      fix: "Send the time of the crawler's last request in the requested days.",
      check: async (subject) => {
        const { answer } = await read(subject, crawlers);
        await findOffering(subject, [crawlers]);
        for (const day of [addDays(answer.period.to, -2), addDays(answer.period.to, -1)]) {
          const { reply, answer: list } = await readDates(crawlers, subject, day, day);
          for (const row of list.rows) {
            const expected = expectLastSeen(row, list, subject);
            demand(expected === undefined, reply, `${expected}`, quote(row));
          }
        }
      },
    },
  },
});
