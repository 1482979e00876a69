import { quote } from "../../errors.ts";
import { addDays, countDays } from "../../operations/days.ts";
import { stats } from "../../operations/index.ts";
import type { FullPeriod } from "../../operations/period.ts";
import { demandLocal, demandLocalTime } from "../local-time.ts";
import type { Reply } from "../reply.ts";
import { demandWarnsBeforeData, ofAnswers } from "../reply-checks.ts";
import { defineSection, type Rule } from "../rule.ts";
import { findSiteSince, readListed, sampleSites } from "../site-sample.ts";
import { periodOperations, read } from "../subject.ts";
import { demand, Skip } from "../verdict.ts";

const CLOCK_TOLERANCE = 15 * 60_000;

type PeriodCheck = (period: FullPeriod, reply: Reply, timezone: string) => void;

/** Checks the period of each operation, and of other sites: a wrong timezone only shows where the date is another. */
const ofEachSite =
  (check: PeriodCheck): Rule["check"] =>
  async (subject) => {
    for (const operation of periodOperations) {
      const { reply, answer } = await read(subject, operation);
      check(answer.period, reply, subject.site.timezone);
    }
    const [, ...others] = sampleSites(subject);
    for (const { domain, timezone } of others) {
      const { reply, answer } = await readListed(subject, stats, { site: domain });
      check(answer.period, reply, timezone);
    }
  };

const LENGTHS = [2, 7, 90].map((days) => ({ days }));

export const periods = defineSection({
  name: "period",
  title: "Periods",
  rules: {
    "period.days": {
      must: "period.days is the requested number of days.",
      fix: "Answer for exactly the requested days, on /breakdown, too.",
      check: ofAnswers(
        periodOperations,
        ({ reply, answer: { period } }, _, { days }) =>
          demand(period.days === days, reply, `days: ${days}`, `days: ${period.days}`),
        LENGTHS,
      ),
    },
    "period.span": {
      must: "The period has the requested number of days, including both from and to.",
      fix: "days=7 is today and the six days before: from is days − 1 days before to.",
      check: ofAnswers(
        periodOperations,
        ({ reply, answer: { period } }, _, { days }) => {
          const span = countDays(period.from, period.to);
          demand(span === days, reply, `${days} days`, `${span} days, ${quote(period)}`);
        },
        LENGTHS,
      ),
    },
    "period.ends-today": {
      must: "to is today in the site's timezone at as_of, for every listed site.",
      fix: "Count calendar days in the site's timezone, including today; not in UTC, and not until yesterday.",
      check: ofEachSite(({ to, as_of }, reply, timezone) => {
        const today = demandLocalTime(as_of, timezone).slice(0, 10);
        demand(to === today, reply, `to: "${today}" (${as_of} in ${timezone})`, `to: "${to}"`);
      }),
    },
    "period.partial": {
      must: "partial is true, because today is not over.",
      fix: "Send partial: true, because every period ends today.",
      check: ofAnswers(periodOperations, ({ reply, answer: { period } }) =>
        demand(period.partial, reply, "partial: true", "partial: false"),
      ),
    },
    "period.complete-through": {
      must: "complete_through is the day before to.",
      fix: "Send the last finished day. With days=1 it is before from.",
      check: ofAnswers(periodOperations, ({ reply, answer }) => {
        const { to, complete_through } = answer.period;
        const eve = addDays(to, -1);
        demand(complete_through === eve, reply, `complete_through: "${eve}"`, quote(complete_through));
      }),
    },
    "period.timezone": {
      must: "period.timezone is the site's timezone from /sites, for every listed site.",
      fix: "Read both from the same place.",
      check: ofEachSite((period, reply, timezone) =>
        demand(period.timezone === timezone, reply, quote(timezone), quote(period.timezone)),
      ),
    },
    "period.as-of-offset": {
      must: "as_of has the offset of the site's timezone at that moment.",
      fix: "Format the time in the site's timezone; consider daylight saving time and half-hour offsets.",
      check: ofEachSite(({ as_of }, reply, timezone) => demandLocal(as_of, timezone, reply)),
    },
    "period.as-of-now": {
      should: "as_of is the time of the answer, within 15 minutes of this machine's clock.",
      fix: "Send the time at which the numbers were read, and synchronize the clocks of both machines with NTP.",
      check: ofAnswers(periodOperations, ({ reply, answer: { period } }, { clock }) => {
        const now = clock();
        const isNow = Math.abs(Date.parse(period.as_of) - now) <= CLOCK_TOLERANCE;
        demand(isNow, reply, `about ${new Date(now).toISOString().slice(0, 19)}Z`, quote(period.as_of));
      }),
    },
    "period.warns-before-data": {
      must: "A period that starts before the site has data comes with the warning before_data_since.",
      fix: 'Add { "code": "before_data_since", "detail": "…" } to warnings.',
      check: async (subject) => {
        const { answer: year } = await read(subject, stats, { days: 365 });
        // Two days of tolerance: the other site may be in another timezone.
        const site = findSiteSince(subject, addDays(year.period.from, 2));
        for (const operation of periodOperations) {
          const { reply, answer } = await readListed(subject, operation, { site: site.domain, days: 365 });
          demandWarnsBeforeData(reply, answer);
        }
      },
    },
    "period.warns-only-then": {
      must: "A period within the site's data comes without that warning.",
      fix: "Warn only if from is before data_since.",
      check: async (subject) => {
        let hasData = false;
        for (const operation of periodOperations) {
          const { reply, answer } = await read(subject, operation, { days: 7 });
          const since = subject.site.data_since;
          if (since === null || since > answer.period.from) continue;
          hasData = true;
          const codes = (answer.warnings ?? []).map(({ code }) => code);
          demand(!codes.includes("before_data_since"), reply, "no warning before_data_since", quote(codes));
        }
        if (!hasData) throw new Skip("the site has no data for 7 days yet");
      },
    },
  },
});
