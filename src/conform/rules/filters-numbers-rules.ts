import { quote } from "../../errors.ts";
import { addDays } from "../../operations/days.ts";
import type { Dimension } from "../../operations/dimensions.ts";
import { conditionOf, escapeValue, formatCondition } from "../../operations/filter.ts";
import { breakdown, stats, timeseries } from "../../operations/index.ts";
import { sumPoints } from "../../operations/timeseries.ts";
import type { Rules } from "../rule.ts";
import { demandSameNumbers, type Reading } from "../stable-compare.ts";
import { read, type Subject } from "../subject.ts";
import { Breach, demand, Inconclusive, Skip } from "../verdict.ts";
import { type Ranking, rank, rankEach, SAMPLE } from "./breakdown-ranking.ts";
import { findOffering, readDates, totalsOf } from "./dates-rules.ts";
import {
  type Chosen,
  choosePage,
  chooseVisits,
  compareFinished,
  type Finished,
  findFiltering,
  findTop,
  growing,
  type Measure,
  readCounts,
  readFiltered,
  readRow,
} from "./filter-requests.ts";

/** What adds up if each visit is in exactly one part. Visitors do not: one may have visits in both. */
const OF_VISITS: readonly Measure[] = ["pageviews", "visits", "bounces", "visit_seconds"];

/** Demands that a part and its complement are the whole. */
function demandComplement(
  whole: Finished,
  { is, isNot }: { is: Finished; isNot: Finished },
  exact: readonly Measure[],
): void {
  const show = (name: Measure) => quote({ [name]: isNot.numbers[name] });
  for (const name of exact) {
    const [all, one, other] = [whole.numbers[name], is.numbers[name], isNot.numbers[name]];
    if (all === undefined || one === undefined || other === undefined) continue;
    const rest = quote({ [name]: all - one });
    demand(one + other === all, isNot.reply, `${rest}: ${all} without ${one}`, show(name));
  }
  const [all, one, other] = [whole.numbers.visitors, is.numbers.visitors, isNot.numbers.visitors];
  const holds = one <= all && other <= all && one + other >= all;
  demand(holds, isNot.reply, `${all - one} to ${all} visitors`, `${other} visitors`);
}

/** Some of the numbers of an answer. */
const only = ({ numbers, ...reading }: Reading, names: readonly string[]): Reading => ({
  ...reading,
  numbers: Object.fromEntries(Object.entries(numbers).filter(([name]) => names.includes(name))),
});

/** Demands that a filter's totals are the numbers of a row. */
async function demandRow(subject: Subject, dimension: Dimension, value: string | null, filter: string) {
  await demandSameNumbers(
    (fresh) => readRow(subject, dimension, value, fresh),
    async () => {
      const [counts, row] = [
        await readCounts(subject, [filter]),
        await readRow(subject, dimension, value, false),
      ];
      // Who only triggered an event on a page counts for its filter, but not for its row.
      const mayBeMore = dimension === "pages" && (counts.numbers.events ?? 0) > 0;
      if (mayBeMore) {
        const [visitors = 0, least = 0] = [counts.numbers.visitors, row.numbers.visitors];
        demand(visitors >= least, counts.reply, `at least ${least} visitors`, `${visitors} visitors`);
      }
      return only(
        counts,
        Object.keys(row.numbers).filter((name) => !(mayBeMore && name === "visitors")),
      );
    },
  );
}

/** Every character as itself, whatever it means. */
const escapeAll = (text: string) => [...text].map((character) => `\\${character}`).join("");

/** A value that needs escaping, in any of the rankings. */
async function findSpecial(subject: Subject): Promise<{ dimension: Dimension; value: string } | undefined> {
  for (const { dimension, answer } of await rankEach(subject, SAMPLE)) {
    const row = answer.rows.find(({ value }) => value !== null && escapeValue(value) !== value);
    if (typeof row?.value === "string") return { dimension, value: row.value };
  }
  return undefined;
}

/** A dimension of which all rows are known, if possible with one of null. Throws Skip if there is none. */
async function findWhole(subject: Subject, dimensions: readonly Dimension[]): Promise<Dimension> {
  const rankings = await rankEach(subject, dimensions);
  const isWhole = ({ rows, total_rows }: Ranking) =>
    rows.length === total_rows && !rows.some((row) => row.other);
  const whole = rankings.filter(({ answer }) => isWhole(answer));
  const found = whole.find(({ answer }) => answer.rows.some(({ value }) => value === null)) ?? whole[0];
  if (found === undefined) throw new Skip("the site has more rows than a breakdown can return");
  return found.dimension;
}

/** The first half of a page's path, if possible one with which other pages do not begin. */
function choosePrefix({ rows }: Ranking): string {
  const pages = rows.flatMap(({ value }) => (value === null ? [] : [value]));
  const halves = pages.map((page) => [...page].slice(0, Math.ceil([...page].length / 2)).join(""));
  const isPart = (half: string) => pages.some((page) => !page.startsWith(half));
  return halves.find(isPart) ?? halves[0] ?? "";
}

/** The page views of the pages that begin so, as far as the rows show them; of all pages for an empty beginning. */
async function readPrefix(subject: Subject, prefix: string, fresh: boolean): Promise<Reading> {
  const { reply, answer } = await read(subject, breakdown, { dimension: "pages" }, { fresh });
  const add = (rows: Ranking["rows"]) => rows.reduce((sum, row) => sum + (row.pageviews ?? 0), 0);
  const ofNone = add(answer.rows.filter(({ value }) => value === null));
  const pageviews =
    prefix === ""
      ? answer.totals.pageviews - ofNone
      : add(answer.rows.filter(({ value }) => value?.startsWith(prefix)));
  return { reply, period: answer.period, numbers: { pageviews } };
}

async function demandOnlyRow(subject: Subject, { dimension, value, is }: Chosen): Promise<void> {
  const { reply, answer } = await readFiltered(subject, breakdown, [is], { dimension });
  const [row, ...more] = answer.rows;
  const seen = quote(answer.rows.slice(0, 3).map((each) => each.value));
  demand(row?.value === value && more.length === 0, reply, `only the row ${quote(value)}`, seen);
  const [expected, total] = [row?.pageviews, answer.totals.pageviews];
  demand(total === expected, reply, `totals of ${expected} page views, as in the row`, `${total} page views`);
}

export const filterNumberRules = {
  "filters.rows": {
    must: "A row's value as a condition gives exactly that row's visitors and page views (of events: events).",
    fix: "Compare values exactly, and count the kept hits, or the visits with a kept hit, as the breakdown does.",
    check: async (subject) => {
      subject.demandVisits();
      for (const { dimension, answer } of await rankEach(subject, SAMPLE)) {
        const top = findTop(dimension, answer);
        if (top !== undefined) await demandRow(subject, dimension, top.value, top.is);
      }
    },
  },
  "filters.breakdown": {
    must: "A breakdown filtered by a value of its own dimension has that row alone, and totals of the same numbers.",
    fix: "Apply the filter to the rows and to the totals, before the limit.",
    check: async (subject) => {
      await demandOnlyRow(subject, await chooseVisits(subject));
      await demandOnlyRow(subject, await choosePage(subject));
    },
  },
  "filters.same-numbers": {
    must: "With a filter, too, the points of /timeseries and the totals of /breakdown are the numbers of /stats.",
    fix: "Count the same hits in every operation.",
    check: async (subject) => {
      const { is, dimension } = await chooseVisits(subject);
      const readFirst = (fresh: boolean) => readCounts(subject, [is], fresh);
      // Whether all of them count visits is a separate rule.
      const names = Object.keys((await readFirst(false)).numbers);
      await demandSameNumbers(readFirst, async () => {
        const { reply, answer } = await readFiltered(subject, timeseries, [is]);
        const sums = sumPoints(answer.points);
        const numbers = { visitors: sums.visitors, pageviews: sums.pageviews, ...growing(sums) };
        return only({ reply, period: answer.period, numbers }, names);
      });
      await demandSameNumbers(readFirst, async () => {
        const { reply, answer } = await readFiltered(subject, breakdown, [is], { dimension });
        const { visitors, pageviews } = answer.totals;
        const numbers = { visitors, pageviews, ...growing(answer.totals) };
        return only({ reply, period: answer.period, numbers }, names);
      });
    },
  },
  "filters.complement": {
    must: "= and != add up to everything: page views and visits for a condition on visits, page views for one on pages. Visitors may be in both, and all are in one.",
    fix: "Let != keep exactly what = leaves out, what has no value included.",
    check: async (subject) => {
      const { is, isNot } = await chooseVisits(subject);
      await compareFinished(subject, { is: [is], isNot: [isNot] }, (whole, parts) =>
        demandComplement(whole, parts, OF_VISITS),
      );
      const page = await choosePage(subject);
      await compareFinished(subject, { is: [page.is], isNot: [page.isNot] }, (whole, parts) =>
        demandComplement(whole, parts, ["pageviews"]),
      );
    },
  },
  "filters.order": {
    must: "All conditions must hold, in whatever order: two keep the same when exchanged, and no more than each alone.",
    fix: "Read every value of the repeated parameter, and keep what meets all of them.",
    check: async (subject) => {
      const [{ is }, { isNot }] = [await chooseVisits(subject), await choosePage(subject)];
      const filters = { first: [is], second: [isNot], both: [is, isNot], exchanged: [isNot, is] };
      await compareFinished(subject, filters, (_, { first, second, both, exchanged }) => {
        const [expected, seen] = [quote(both.numbers), quote(exchanged.numbers)];
        demand(seen === expected, exchanged.reply, `${expected}, as in the other order`, seen);
        const most = Math.min(first.numbers.pageviews, second.numbers.pageviews);
        const { pageviews } = both.numbers;
        demand(pageviews <= most, both.reply, `at most ${most} page views`, `${pageviews} page views`);
      });
    },
  },
  "filters.alternatives": {
    must: "Alternatives are kept together: the page views of two rows of visits add up to those of both.",
    fix: "Split the value at |, and keep what matches one of the parts.",
    check: async (subject) => {
      const { dimension } = await chooseVisits(subject);
      const readBoth = async (fresh: boolean) => {
        const { reply, answer } = await read(subject, breakdown, { dimension }, { fresh });
        const rows = answer.rows.filter(({ value }) => value !== null).slice(0, 2);
        const pageviews = rows.reduce((sum, row) => sum + (row.pageviews ?? 0), 0);
        return { rows, reading: { reply, period: answer.period, numbers: { pageviews } } };
      };
      const { rows } = await readBoth(false);
      if (rows.length < 2) throw new Skip(`the site has only one row of ${dimension}`);
      const values = rows.map(({ value }) => escapeValue(value ?? ""));
      await demandSameNumbers(
        async (fresh) => (await readBoth(fresh)).reading,
        async () => only(await readCounts(subject, [`${dimension}=${values.join("|")}`]), ["pageviews"]),
      );
    },
  },
  "filters.escaping": {
    must: "A backslash makes the next character literal: after one, an asterisk or a bar is just that.",
    fix: "Read \\ and the next character as that character, before | and * get their meaning.",
    check: async (subject) => {
      const { value } = await choosePage(subject);
      await demandRow(subject, "pages", value, `pages=${escapeAll(value)}`);
      const { answer } = await rank(subject, "pages");
      const starred = `${[...value].slice(0, -1).join("")}*`;
      if (!answer.rows.some((row) => row.value === starred)) {
        const { reply, numbers } = await readCounts(subject, [`pages=${escapeValue(starred)}`]);
        demand(numbers.pageviews === 0, reply, "no page views", `${numbers.pageviews} page views`);
      }
      const special = await findSpecial(subject);
      if (special === undefined) return;
      const { dimension, value: text } = special;
      await demandRow(subject, dimension, text, formatCondition(conditionOf(dimension, text)));
    },
  },
  "filters.wildcard": {
    must: "An asterisk stands for any text: pages=* keeps all page views, and the beginning of a path with an asterisk those of all such pages.",
    fix: "Let * match any number of any characters, / included, and compare the whole value.",
    check: async (subject) => {
      subject.demandVisits();
      const { answer } = await rank(subject, "pages");
      for (const start of ["", choosePrefix(answer)]) {
        const readKept = () => readCounts(subject, [`pages=${escapeValue(start)}*`]);
        if (start === "" || answer.rows.length === answer.total_rows) {
          await demandSameNumbers(
            (fresh) => readPrefix(subject, start, fresh),
            async () => only(await readKept(), ["pageviews"]),
          );
          continue;
        }
        const { pageviews = 0 } = (await readPrefix(subject, start, false)).numbers;
        const { reply, numbers } = await readKept();
        const holds = (numbers.pageviews ?? 0) >= pageviews;
        demand(holds, reply, `at least ${pageviews} page views`, `${numbers.pageviews} page views`);
      }
    },
  },
  "filters.null": {
    must: "An empty value means none: dimension= gives the row of null, dimension=* everything else, and both as alternatives everything.",
    fix: "Match visits without a value by the empty alternative, and by no other: * stands for a text.",
    check: async (subject) => {
      subject.demandVisits();
      const dimension = await findWhole(subject, ["referrers", "countries", "devices"]);
      await demandRow(subject, dimension, null, `${dimension}=`);
      const filters = { is: [`${dimension}=`], isNot: [`${dimension}=*`], all: [`${dimension}=|*`] };
      await compareFinished(subject, filters, (whole, { all, ...parts }) => {
        demandComplement(whole, parts, OF_VISITS);
        const [expected, seen] = [quote(whole.numbers), quote(all.numbers)];
        demand(seen === expected, all.reply, expected, seen);
      });
    },
  },
  "filters.visit": {
    must: "visit:pages= keeps whole visits: at least the page views of pages=, of the same visitors; and visit:pages!= keeps all other visits.",
    fix: "Find the visits with such a hit, then count all of their hits; with !=, those of the visits without one.",
    check: async (subject) => {
      const page = await choosePage(subject);
      const filters = { hits: [page.is], is: [`visit:${page.is}`], isNot: [`visit:${page.isNot}`] };
      await compareFinished(subject, filters, (whole, { hits, ...parts }) => {
        const { reply, numbers } = parts.is;
        const { visitors, pageviews } = hits.numbers;
        const seen = `${numbers.visitors} visitors and ${numbers.pageviews} page views`;
        const holds = numbers.visitors === visitors && numbers.pageviews >= pageviews;
        demand(holds, reply, `${visitors} visitors and at least ${pageviews} page views`, seen);
        demandComplement(whole, parts, OF_VISITS);
      });
    },
  },
  "filters.dates": {
    must: "If from and to are offered, a filter keeps the same on the same days.",
    fix: "Use the same code for days as for from and to.",
    check: async (subject) => {
      const { is } = await chooseVisits(subject);
      const offering = await findOffering(
        subject,
        await findFiltering(subject, [stats, timeseries, breakdown]),
      );
      const readWeek = async (fresh: boolean) => {
        const { answer } = await readFiltered(subject, timeseries, [is], {}, { fresh });
        const to = addDays(answer.period.to, -1);
        const from = addDays(to, -6);
        const points = answer.points.filter(({ date }) => date >= from && date <= to);
        const { visitors, pageviews } = sumPoints(points);
        return { from, to, expected: quote({ visitors, pageviews }) };
      };
      const { from, to, expected } = await readWeek(false);
      for (const operation of offering) {
        const { reply, answer } = await readDates(subject, operation, { from, to, filter: [is] });
        const seen = quote(totalsOf(operation, answer));
        if (seen === expected) continue;
        if ((await readWeek(true)).expected !== expected)
          throw new Inconclusive("finished days changed between the requests");
        throw new Breach(reply.sent, expected, seen);
      }
    },
  },
} satisfies Rules;
