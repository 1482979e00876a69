import { quote } from "../../errors.ts";
import type { Dimension } from "../../operations/dimensions.ts";
import { breakdown, stats, timeseries } from "../../operations/index.ts";
import { sumPoints } from "../../operations/timeseries.ts";
import type { WithVisits } from "../../operations/visit-rates.ts";
import type { Reply } from "../reply.ts";
import { defineSection } from "../rule.ts";
import { demandSameNumbers } from "../stable-compare.ts";
import { read, type Subject } from "../subject.ts";
import { demand, Skip } from "../verdict.ts";
import { rankEach } from "./breakdown-ranking.ts";
import { growing } from "./filter-requests.ts";

/** Dimensions whose rows are visits. */
const DIMENSIONS: Dimension[] = ["referrers", "countries", "devices"];

/** Counts that may have visits, and where they stand in an answer. */
interface FoundCounts {
  reply: Reply;
  where: string;
  counts: WithVisits & { visitors: number };
}

/** After such a pause, another visit begins. */
const MAX_PAUSE_SECONDS = 1_800;

const MEMBERS = ["visits", "bounces", "visit_seconds"] as const;
const namesOf = (counts: WithVisits) => MEMBERS.filter((name) => counts[name] !== undefined);

/** Wherever visits may be counted, rows left out. Throws Skip if they are counted nowhere: the contract leaves them optional. */
async function listCounts(subject: Subject): Promise<FoundCounts[]> {
  const [summary, series] = [await read(subject, stats), await read(subject, timeseries)];
  const ranking = await read(subject, breakdown);
  // A year has days without visits.
  const year = await read(subject, timeseries, { days: 365 });
  const places = [
    { reply: summary.reply, where: "/stats", counts: summary.answer },
    ...[series, year].flatMap(({ reply, answer }) =>
      answer.points.map((counts) => ({ reply, where: counts.date, counts })),
    ),
    { reply: ranking.reply, where: "totals", counts: ranking.answer.totals },
  ];
  if (places.every(({ counts }) => namesOf(counts).length === 0))
    throw new Skip("the service does not count visits");
  return places;
}

/** The visits of an answer. Throws Skip if they are incomplete, which is a separate rule. */
function demandComplete<T extends WithVisits>(counts: T): T {
  if (namesOf(counts).length < MEMBERS.length) throw new Skip("visits are incomplete: see visits.together");
  return counts;
}

/** The rows of visits, each beside its totals. */
async function listRows(subject: Subject): Promise<(FoundCounts & { totals: WithVisits })[]> {
  await listCounts(subject);
  const rankings = await rankEach(subject, DIMENSIONS);
  return rankings.flatMap(({ reply, answer: { rows, totals } }) =>
    rows.map((counts) => ({ reply, where: `the row ${quote(counts.value)}`, counts, totals })),
  );
}

/** What is wrong with some visits: what was expected, and what was seen. */
function findImpossible({
  visitors,
  visits = 0,
  bounces = 0,
  visit_seconds = 0,
}: FoundCounts["counts"]): { expected: string; seen: string } | undefined {
  if (visits < visitors) return { expected: `at least ${visitors} visits`, seen: `${visits}` };
  if (bounces > visits) return { expected: `at most ${visits} bounces`, seen: `${bounces}` };
  if (visit_seconds === 0 || bounces < visits) return undefined;
  return { expected: "visit_seconds: 0 where every visit is a bounce", seen: `${visit_seconds}` };
}

export const visitsSection = defineSection({
  name: "visits",
  title: "Visits (if offered)",
  rules: {
    "visits.together": {
      must: "visits, bounces and visit_seconds come together: in /stats, in every point and in totals, or nowhere.",
      fix: "Send all three members, as whole numbers, wherever the contract has them.",
      check: async (subject) => {
        for (const { reply, where, counts } of await listCounts(subject)) {
          const names = namesOf(counts);
          demand(names.length === 3, reply, `visits, bounces and visit_seconds of ${where}`, quote(names));
        }
      },
    },
    "visits.rows": {
      must: "Rows of dimensions of visits have these members exactly if totals has them.",
      fix: "Count the visits of each row, too, or none.",
      check: async (subject) => {
        for (const { reply, where, counts, totals } of await listRows(subject)) {
          const [expected, seen] = [quote(namesOf(totals)), quote(namesOf(counts))];
          demand(seen === expected, reply, `${expected} of ${where}, as of totals`, seen);
        }
      },
    },
    "visits.possible": {
      must: "There are at least as many visits as visitors, no more bounces than visits, and no seconds if every visit is a bounce.",
      fix: "Count every visit once, a bounce as a visit with exactly one hit, and seconds from a visit's first hit to its last.",
      check: async (subject) => {
        for (const { reply, where, counts } of [
          ...(await listCounts(subject)),
          ...(await listRows(subject)),
        ]) {
          const wrong = namesOf(counts).length === 3 ? findImpossible(counts) : undefined;
          demand(wrong === undefined, reply, `${wrong?.expected} of ${where}`, `${wrong?.seen}`);
        }
      },
    },
    "visits.have-hits": {
      must: "Visits have hits: a bounce has one, any other visit two or more page views and events, with at most 30 minutes between two of them.",
      fix: "Count only visits with a hit, and each hit in one visit; visit_seconds are whole seconds, not milliseconds.",
      check: async (subject) => {
        await listCounts(subject);
        for (const days of [7, 30]) {
          const { reply, answer } = await read(subject, stats, { days });
          const { visits = 0, bounces = 0, visit_seconds = 0, pageviews, events } = demandComplete(answer);
          const [least, hits] = [2 * visits - bounces, pageviews + events];
          demand(hits >= least, reply, `at least ${least} hits in ${visits} visits`, `${hits} hits`);
          const most = MAX_PAUSE_SECONDS * (hits - visits);
          demand(visit_seconds <= most, reply, `visit_seconds of at most ${most}`, `${visit_seconds}`);
        }
      },
    },
    "visits.adds-up": {
      must: "The visits of the points, and those of totals, are the visits of /stats for the same days.",
      fix: "Count a visit on the day on which it begins, in every operation.",
      check: async (subject) => {
        await listCounts(subject);
        const readFirst = async (fresh: boolean) => {
          const { reply, answer } = await read(subject, stats, {}, { fresh });
          return { reply, period: answer.period, numbers: growing(demandComplete(answer)) };
        };
        await demandSameNumbers(readFirst, async () => {
          const { reply, answer } = await read(subject, timeseries);
          return { reply, period: answer.period, numbers: growing(sumPoints(answer.points)) };
        });
        await demandSameNumbers(readFirst, async () => {
          const { reply, answer } = await read(subject, breakdown);
          return { reply, period: answer.period, numbers: growing(answer.totals) };
        });
      },
    },
    "visits.rows-add-up": {
      should: "All rows of countries, devices or referrers add up to the visits of the period.",
      fix: "Give every visit one value, and put visits without a value into a row with null.",
      check: async (subject) => {
        await listRows(subject);
        let isWhole = false;
        for (const { reply, answer } of await rankEach(subject, DIMENSIONS)) {
          const { rows, totals, total_rows } = answer;
          if (total_rows > rows.length || !rows.every((row) => namesOf(row).length === 3)) continue;
          isWhole = true;
          for (const name of MEMBERS) {
            const sum = rows.reduce((total, row) => total + (row[name] ?? 0), 0);
            demand(sum === totals[name], reply, `${name}: ${totals[name]}`, `${sum} in all rows`);
          }
        }
        if (!isWhole) throw new Skip("the site has more rows than a breakdown can return");
      },
    },
  },
});
