import { stats } from "../../operations/index.ts";
import { checkDefault, ofAnswers } from "../reply-checks.ts";
import { defineSection } from "../rule.ts";
import { compareStable, demandSameNumbers } from "../stable-compare.ts";
import { read, type Subject } from "../subject.ts";
import { demand } from "../verdict.ts";

export const MEASURES = ["visitors", "pageviews", "events"] as const;

/** The numbers of /stats, for comparison with other answers. */
export async function readTotals(
  subject: Subject,
  params: Record<string, string | number>,
  fresh: boolean,
  names: readonly (typeof MEASURES)[number][] = MEASURES,
) {
  const { reply, answer } = await read(subject, stats, params, { fresh });
  const numbers = Object.fromEntries(names.map((name) => [name, answer[name]]));
  return { reply, period: answer.period, numbers };
}

export const statsSection = defineSection({
  name: "stats",
  title: "Summary",
  rules: {
    "stats.days-default": {
      must: "Without days, /stats covers 30 days.",
      fix: "Let days default to 30.",
      check: checkDefault(stats, {}, ["period", "days"], 30),
    },
    "stats.longer-is-more": {
      must: "A longer period has at least the numbers of a shorter one.",
      fix: "Add up the days of the period; visitors is the sum of daily unique visitors.",
      check: (subject) =>
        compareStable(
          (fresh) => read(subject, stats, { days: 7 }, { fresh }),
          async ({ answer: shorter }) => {
            const { reply, answer: longer } = await read(subject, stats);
            for (const name of MEASURES) {
              const expected = `at least the ${shorter[name]} ${name} of 7 days`;
              demand(longer[name] >= shorter[name], reply, expected, `${longer[name]} in 30 days`);
            }
          },
        ),
    },
    "stats.visitors-have-hits": {
      should: "There are no more visitors than page views and events together.",
      fix: "Count only visitors with a page view or an event.",
      check: ofAnswers([stats], ({ reply, answer }) => {
        const hits = answer.pageviews + answer.events;
        demand(answer.visitors <= hits, reply, `at most ${hits} visitors`, `${answer.visitors} visitors`);
      }),
    },
    "stats.same-by-id": {
      must: "A site has the same numbers by id and by domain.",
      fix: "Look up the site once, then count by its id.",
      check: (subject) =>
        demandSameNumbers(
          (fresh) => readTotals(subject, {}, fresh),
          () => readTotals(subject, { site: subject.site.id }, false),
        ),
    },
  },
});
