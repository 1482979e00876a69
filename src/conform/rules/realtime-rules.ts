import { realtime, stats } from "../../operations/index.ts";
import { localTime } from "../local-time.ts";
import { quote } from "../reply.ts";
import type { Section } from "../rule.ts";
import { read } from "../subject.ts";
import { demand, Skip } from "../verdict.ts";

export const realtimeSection: Section = {
  name: "realtime",
  title: "Realtime",
  rules: [
    {
      id: "realtime.window",
      severity: "must",
      title: "The window is five minutes.",
      fix: "Count visitors with a page view or an event in (as_of − 5 min, as_of], and send window_minutes: 5.",
      check: async (subject) => {
        const { reply, answer } = await read(subject, realtime);
        demand(answer.window_minutes === 5, reply, "window_minutes: 5", quote(answer.window_minutes));
      },
    },
    {
      id: "realtime.as-of-offset",
      severity: "must",
      title: "as_of has the offset of the site's timezone at that moment.",
      fix: "Format the time in the site's timezone, as in every period.",
      check: async (subject) => {
        const { reply, answer } = await read(subject, realtime);
        const { timezone } = subject.site;
        const local = localTime(Date.parse(answer.as_of), timezone);
        if (local === undefined) throw new Skip("the site has no IANA timezone: see sites.timezone");
        const holds = answer.as_of.slice(0, 19).replace("T", " ") === local;
        demand(holds, reply, `${local} on the clock of ${timezone}`, quote(answer.as_of));
      },
    },
    {
      id: "realtime.now",
      severity: "should",
      title: "as_of is the current time: it moves with the clock.",
      fix: "Count at the time of the request; do not send an answer from minutes ago.",
      check: async (subject) => {
        const { answer: first } = await read(subject, realtime, {}, { fresh: true });
        await subject.pause(1_100);
        const { reply, answer: second } = await read(subject, realtime, {}, { fresh: true });
        const hasMoved = Date.parse(second.as_of) > Date.parse(first.as_of);
        demand(hasMoved, reply, `a time after ${quote(first.as_of)}`, quote(second.as_of));
      },
    },
    {
      id: "realtime.within-days",
      severity: "should",
      title: "There are no more active visitors than visitors of today and yesterday.",
      fix: "Count active visitors and daily visitors from the same visits.",
      check: async (subject) => {
        const { reply, answer } = await read(subject, realtime, {}, { fresh: true });
        const { answer: days } = await read(subject, stats, { days: 2 }, { fresh: true });
        const expected = `at most the ${days.visitors} visitors of today and yesterday`;
        demand(answer.visitors <= days.visitors, reply, expected, `${answer.visitors} visitors`);
      },
    },
  ],
};
