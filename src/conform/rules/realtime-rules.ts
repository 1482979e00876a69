import { quote } from "../../errors.ts";
import { realtime, stats } from "../../operations/index.ts";
import { demandLocal, localTime } from "../local-time.ts";
import { ofAnswers } from "../reply-checks.ts";
import { defineSection } from "../rule.ts";
import { readListed, sampleSites } from "../site-sample.ts";
import { read, type Subject } from "../subject.ts";
import type { Site } from "../survey.ts";
import { demand } from "../verdict.ts";

export const realtimeSection = defineSection({
  name: "realtime",
  title: "Realtime",
  rules: {
    "realtime.window": {
      must: "The window is five minutes.",
      fix: "Count visitors with a page view or an event in (as_of − 5 min, as_of], and send window_minutes: 5.",
      check: ofAnswers([realtime], ({ reply, answer }) =>
        demand(answer.window_minutes === 5, reply, "window_minutes: 5", quote(answer.window_minutes)),
      ),
    },
    "realtime.as-of-offset": {
      must: "as_of has the offset of the site's timezone at that moment.",
      fix: "Format the time in the site's timezone, as in every period.",
      check: ofAnswers([realtime], ({ reply, answer }, { site }) =>
        demandLocal(answer.as_of, site.timezone, reply),
      ),
    },
    "realtime.now": {
      should: "as_of is the current time: it moves with the clock.",
      fix: "Count at the time of the request; do not send an answer from minutes ago.",
      check: async (subject) => {
        const { answer: first } = await read(subject, realtime, {}, { fresh: true });
        // A service may count every few seconds.
        for (const pause of [1_100, 15_000]) {
          await subject.pause(pause);
          const { reply, answer: next } = await read(subject, realtime, {}, { fresh: true });
          if (Date.parse(next.as_of) > Date.parse(first.as_of)) return;
          demand(pause < 15_000, reply, `a time after ${quote(first.as_of)}`, quote(next.as_of));
        }
      },
    },
    "realtime.within-days": {
      must: "There are no more active visitors than visitors of today (in a day's first five minutes: of two days), for every listed site.",
      fix: "Count active visitors and daily visitors from the same visits, with days in the site's timezone, not in UTC.",
      check: async (subject) => {
        for (const site of sampleSites(subject)) await compareActive(subject, site);
      },
    },
  },
});

const WINDOW = 5 * 60_000;
/** How old a cached summary may be. */
const CACHED = 60_000;

/** Demands that active visitors are among the visitors of the days that the window touches. */
async function compareActive(subject: Subject, { domain, timezone }: Site): Promise<void> {
  const { answer } = await readListed(subject, realtime, { site: domain }, { fresh: true });
  const opened = localTime(Date.parse(answer.as_of) - WINDOW, timezone)?.slice(0, 10);
  const readDays = async () => {
    const today = await readListed(subject, stats, { site: domain, days: 1 }, { fresh: true });
    if (today.answer.period.to === opened) return today;
    return readListed(subject, stats, { site: domain, days: 2 }, { fresh: true });
  };
  if (answer.visitors <= (await readDays()).answer.visitors) return;
  // The summary may come from a cache or lag behind; by now it has counted them.
  await subject.pause(CACHED + 5_000);
  const { reply, answer: days } = await readDays();
  const span = `${days.period.days === 1 ? "today" : "today and yesterday"} at ${domain}`;
  const expected = `at least the ${answer.visitors} visitors active at ${answer.as_of} among those of ${span}`;
  demand(answer.visitors <= days.visitors, reply, expected, `${days.visitors} visitors`);
}
