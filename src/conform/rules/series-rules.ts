import { quote } from "../../errors.ts";
import { addDays } from "../../operations/days.ts";
import { timeseries } from "../../operations/index.ts";
import type { ResultOf } from "../../operations/operation.ts";
import { sumPoints } from "../../operations/timeseries.ts";
import type { Reply } from "../reply.ts";
import { checkDefault, ofAnswers } from "../reply-checks.ts";
import { defineSection } from "../rule.ts";
import { readListed, sampleSites } from "../site-sample.ts";
import { demandSameNumbers } from "../stable-compare.ts";
import { read, type Subject } from "../subject.ts";
import { Breach, demand, Inconclusive, Skip } from "../verdict.ts";
import { readTotals } from "./stats-rules.ts";

type Series = ResultOf<typeof timeseries>;

const LENGTHS = [1, 7, 365].map((days) => ({ days }));

/** Checks the series of several lengths. */
const ofEach = (check: (series: Series, reply: Reply) => void) =>
  ofAnswers([timeseries], ({ reply, answer }) => check(answer, reply), LENGTHS);

const isZero = ({ visitors, pageviews }: Series["points"][number]) => visitors + pageviews === 0;

/** The visitors and page views of the last points of a series. */
async function readSums(subject: Subject, days: number, count = days) {
  const { reply, answer } = await read(subject, timeseries, { days });
  const { visitors, pageviews } = sumPoints(answer.points.slice(-count));
  return { reply, period: answer.period, numbers: { visitors, pageviews } };
}

/** The numbers of a series by day. */
const numbersOf = ({ points }: Series) =>
  new Map(points.map(({ date, visitors, pageviews }) => [date, quote({ date, visitors, pageviews })]));

/** The first finished day with other numbers than in the longer series. */
function findOtherDay(longer: Series, shorter: Series) {
  const known = numbersOf(longer);
  for (const [date, seen] of numbersOf(shorter)) {
    if (date === shorter.period.to) continue;
    const expected = known.get(date);
    if (expected === undefined) throw new Skip("the points are not in order: see series.ascending");
    if (expected !== seen) return { expected, seen };
  }
  return undefined;
}

export const series = defineSection({
  name: "series",
  title: "Daily series",
  rules: {
    "series.interval": {
      must: 'interval is "day", however long the period is.',
      fix: 'Send "interval": "day".',
      check: ofEach(({ interval }, reply) => demand(interval === "day", reply, '"day"', quote(interval))),
    },
    "series.days-default": {
      must: "Without days, /timeseries covers 30 days.",
      fix: "Let days default to 30.",
      check: checkDefault(timeseries, {}, ["period", "days"], 30),
    },
    "series.one-point-a-day": {
      must: "There is exactly one point per requested day, including days without traffic.",
      fix: "Fill days without visits, and days before the site had data, with zeros.",
      check: ofAnswers(
        [timeseries],
        ({ reply, answer: { points } }, _, { days }) =>
          demand(points.length === days, reply, `${days} points`, `${points.length} points`),
        LENGTHS,
      ),
    },
    "series.ascending": {
      must: "Points start at period.from and ascend day by day, without gaps or repeats.",
      fix: "First list the days in the site's timezone, then fill in the numbers.",
      check: ofEach(({ points, period }, reply) => {
        const index = points.findIndex(({ date }, at) => date !== addDays(period.from, at));
        const expected = `"${addDays(period.from, index)}" at points[${index}]`;
        demand(index === -1, reply, expected, quote(points[index]?.date));
      }),
    },
    "series.partial-point": {
      must: "partial is true on today's point and on no other.",
      fix: 'Add "partial": true only to the last point.',
      check: ofEach(({ points, period }, reply) => {
        const wrong = points.find(({ date, partial }) => (partial ?? false) !== (date === period.to));
        demand(wrong === undefined, reply, `partial: true only on ${period.to}`, quote(wrong));
      }),
    },
    "series.views-have-visitors": {
      must: "A day with page views has visitors.",
      fix: "Count both from the same visits.",
      check: ofEach(({ points }, reply) => {
        const wrong = points.find(({ visitors, pageviews }) => pageviews > 0 && visitors === 0);
        demand(wrong === undefined, reply, "visitors on a day with page views", quote(wrong));
      }),
    },
    "series.zero-before-data": {
      must: "Days before data_since are all zeros.",
      fix: "Set data_since to the first day with data, and send zeros before it.",
      check: async (subject) => {
        let hasSuchDays = false;
        for (const { domain, data_since } of sampleSites(subject)) {
          const { reply, answer } = await readListed(subject, timeseries, { site: domain, days: 365 });
          const before = answer.points.filter(({ date }) => data_since === null || date < data_since);
          hasSuchDays ||= before.length > 0;
          const wrong = before.find((point) => !isZero(point));
          demand(wrong === undefined, reply, `zeros before ${data_since ?? "any data"}`, quote(wrong));
        }
        if (!hasSuchDays) throw new Skip("every site has data for a whole year");
      },
    },
    "series.missing": {
      must: "A point with missing: true has zeros and, if there are such points, so is each day before data_since marked.",
      fix: "Mark the days of which there is no data, and no others: a day without visitors is a zero.",
      check: async (subject) => {
        let hasMissing = false;
        for (const { domain, data_since } of sampleSites(subject)) {
          const { reply, answer } = await readListed(subject, timeseries, { site: domain, days: 365 });
          const { points } = answer;
          if (!points.some(({ missing }) => missing)) continue;
          hasMissing = true;
          const counted = points.find(({ missing, ...counts }) => missing && !isZero(counts));
          demand(counted === undefined, reply, "zeros in points with missing: true", quote(counted));
          const wrong = points.find(
            ({ date, missing }) => !missing && (data_since === null || date < data_since),
          );
          demand(
            wrong === undefined,
            reply,
            `missing: true before ${data_since ?? "any data"}`,
            quote(wrong),
          );
        }
        if (!hasMissing) throw new Skip("no point has missing: true");
      },
    },
    "series.adds-up": {
      must: "The points add up to the visitors and page views of /stats for the same days.",
      fix: "In both, visitors is the sum of daily unique visitors, with days in the site's timezone.",
      check: async (subject) => {
        for (const days of [7, 30, 365]) {
          await demandSameNumbers(
            (fresh) => readTotals(subject, { days }, fresh, ["visitors", "pageviews"]),
            () => readSums(subject, days),
          );
        }
      },
    },
    "series.ends-in-today": {
      must: "The last point has the numbers of /stats for today.",
      fix: "In every operation, days=1 is today so far: from midnight at the site until now.",
      check: (subject) =>
        demandSameNumbers(
          (fresh) => readTotals(subject, { days: 1 }, fresh, ["visitors", "pageviews"]),
          () => readSums(subject, 30, 1),
        ),
    },
    "series.finished-days-agree": {
      must: "A finished day has the same numbers in every series.",
      fix: "Split visits at the site's midnight: a finished day never changes.",
      check: async (subject) => {
        const readLonger = (fresh: boolean) => read(subject, timeseries, { days: 30 }, { fresh });
        const { answer: longer } = await readLonger(false);
        const { reply, answer: shorter } = await read(subject, timeseries, { days: 7 });
        if (longer.period.to !== shorter.period.to) {
          throw new Inconclusive("a new day began at the site between the requests");
        }
        const wrong = findOtherDay(longer, shorter);
        if (wrong === undefined) return;
        const again = findOtherDay((await readLonger(true)).answer, shorter);
        if (quote(again) !== quote(wrong))
          throw new Inconclusive("finished days changed between the requests");
        throw new Breach(reply.sent, wrong.expected, wrong.seen);
      },
    },
  },
});
