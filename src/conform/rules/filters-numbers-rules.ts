import { quote } from "../../errors.ts";
import { addDays } from "../../operations/days.ts";
import { type Dimension, dimensions } from "../../operations/dimensions.ts";
import {
  conditionOf,
  escapeValue,
  formatCondition,
  isOnHits,
  parseFilter,
  verifyFilter,
} from "../../operations/filter.ts";
import { breakdown, stats, timeseries } from "../../operations/index.ts";
import { sumPoints } from "../../operations/timeseries.ts";
import type { Rules } from "../rule.ts";
import { demandSameNumbers, type Reading } from "../stable-compare.ts";
import { basicParams, type Read, read, type Subject } from "../subject.ts";
import { Breach, demand, Inconclusive, Skip } from "../verdict.ts";
import { findShare, measureOf, type Ranking, rank, rankEach } from "./breakdown-ranking.ts";
import { findOffering, readDates, totalsOf } from "./dates-rules.ts";
import {
  CLOSED,
  choosePatterns,
  escapeAll,
  findNearMisses,
  findSpecial,
  findWhole,
  listPairs,
  type Pattern,
} from "./filter-choices.ts";
import {
  type Chosen,
  chooseEach,
  choosePage,
  chooseVisits,
  compareFinished,
  type Finished,
  findFiltering,
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

/** Demands that an answer repeats no other filter. That it repeats one at all is a separate rule. */
async function demandEcho(subject: Subject, filter: string): Promise<void> {
  await findFiltering(subject, [stats]);
  const { reply, answer } = await read(subject, stats, { filter: [filter] });
  const other = answer.filter && verifyFilter(answer.filter, [filter]);
  demand(other === undefined, reply, `the filter ${quote(filter)}`, quote(answer.filter));
}

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

/** The page views of the pages that match, as far as the rows show them. */
async function readMatching(subject: Subject, [start, end]: Pattern, fresh: boolean): Promise<Reading> {
  const { reply, answer } = await read(subject, breakdown, { dimension: "pages" }, { fresh });
  const add = (rows: Ranking["rows"]) => rows.reduce((sum, row) => sum + (row.pageviews ?? 0), 0);
  const matches = (value: string) =>
    value.length >= start.length + end.length && value.startsWith(start) && value.endsWith(end);
  const pageviews =
    start + end === ""
      ? answer.totals.pageviews - add(answer.rows.filter(({ value }) => value === null))
      : add(answer.rows.filter(({ value }) => value !== null && matches(value)));
  return { reply, period: answer.period, numbers: { pageviews } };
}

/** Dimensions in whose rows each page view is once: that of its visit's value. */
const ROWS_OF_VISITS = dimensions.filter(
  (each) => !["pages", "events", "hostnames", "entry_pages", "exit_pages"].includes(each),
);

const countRows = (rows: Ranking["rows"]) => rows.reduce((sum, row) => sum + (row.pageviews ?? 0), 0);

async function demandOnlyRow(subject: Subject, { dimension, value, is }: Chosen): Promise<void> {
  const { reply, answer } = await readFiltered(subject, breakdown, [is], { dimension });
  const [row, ...more] = answer.rows;
  const seen = quote(answer.rows.slice(0, 3).map((each) => each.value));
  demand(row?.value === value && more.length === 0, reply, `only the row ${quote(value)}`, seen);
  const [expected, total] = [row?.pageviews, answer.totals.pageviews];
  demand(total === expected, reply, `totals of ${expected} page views, as in the row`, `${total} page views`);
  demandShares({ reply, answer });
}

/** Demands that what a filter keeps of 7 days are the last points of 30. */
async function demandSameWeek(subject: Subject, is: string): Promise<void> {
  for (const operation of await findFiltering(subject, [stats, timeseries, breakdown])) {
    await demandSameNumbers(
      async (fresh) => {
        const { reply, answer } = await readFiltered(subject, timeseries, [is], {}, { fresh });
        const { visitors, pageviews } = sumPoints(answer.points.slice(-7));
        return { reply, period: answer.period, numbers: { visitors, pageviews } };
      },
      async () => {
        const params = { days: 7 };
        const { reply, answer } = await readFiltered<typeof operation>(subject, operation, [is], params);
        const { visitors = 0, pageviews = 0 } = totalsOf(operation, answer);
        return { reply, period: answer.period, numbers: { visitors, pageviews } };
      },
    );
  }
  demandShares(await readFiltered(subject, breakdown, [is], { days: 7 }));
}

/** Demands that percentages are of the filtered totals. */
function demandShares({ reply, answer }: Read<typeof breakdown>): void {
  for (const row of answer.rows) {
    const share = findShare(row, answer);
    demand(share === undefined, reply, `${share} of the filtered totals`, `${row.percentage} percent`);
  }
}

/** Demands that a filter's numbers are the same in every operation. */
async function demandOneCount(subject: Subject, { is, dimension }: Chosen): Promise<void> {
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
}

/** Demands that the first two rows as alternatives keep, or leave out, the page views of both. */
async function demandAlternatives(subject: Subject, dimension: Dimension, operator: "=" | "!=") {
  const readBoth = async (fresh: boolean) => {
    const { reply, answer } = await read(subject, breakdown, { dimension }, { fresh });
    const rows = answer.rows.filter(({ value }) => value !== null).slice(0, 2);
    const both = countRows(rows);
    const pageviews = operator === "=" ? both : answer.totals.pageviews - both;
    return { rows, reading: { reply, period: answer.period, numbers: { pageviews } } };
  };
  const { rows } = await readBoth(false);
  if (rows.length < 2) throw new Skip(`the site has only one row of ${dimension}`);
  const values = rows.map(({ value }) => escapeValue(value ?? ""));
  await demandSameNumbers(
    async (fresh) => (await readBoth(fresh)).reading,
    async () => {
      const counts = await readCounts(subject, [`${dimension}${operator}${values.join("|")}`]);
      return only(counts, ["pageviews"]);
    },
  );
}

/** The visits of each row, and their visitors. */
async function readVisits(subject: Subject, dimension: Dimension, filter: string, fresh: boolean) {
  const { reply, answer } = await readFiltered(subject, breakdown, [filter], { dimension }, { fresh });
  if (answer.truncated) throw new Skip("the site has more rows than a breakdown can return");
  const numbers = [{ value: "totals", ...answer.totals }, ...answer.rows].flatMap((row) => {
    const { value, visitors } = row;
    return Object.entries({ visitors, ...growing(row) }).map(([name, count]): [string, number] => [
      `${name} of ${quote(value)}`,
      count,
    ]);
  });
  return { reply, period: answer.period, numbers: Object.fromEntries(numbers) };
}

/** Dimensions of hits, besides pages. */
const OTHER_HITS: readonly Dimension[] = ["hostnames", "events"];

export const filterNumberRules = {
  "filters.rows": {
    must: "In every dimension, a row's value as a condition gives exactly that row's visitors and page views (of events: events).",
    fix: "Compare values exactly, and count the kept hits, or the visits with a kept hit, as the breakdown does.",
    check: async (subject) => {
      for (const { dimension, value, is } of await chooseEach(subject)) {
        await demandEcho(subject, is);
        await demandRow(subject, dimension, value, is);
      }
    },
  },
  "filters.exact": {
    must: "Values are compared exactly: in another letter case, with a space or another character more or less, or with ?, _, % or a dot for a letter, a value is another one.",
    fix: "Compare whole values byte by byte, never trimmed, without case or as a pattern of the database. Only * stands for other text.",
    check: async (subject) => {
      subject.demandVisits();
      for (const ranked of await rankEach(subject, dimensions)) {
        const filter = findNearMisses(ranked);
        if (filter === undefined) continue;
        await findFiltering(subject, [stats]);
        const reply = await subject.ask(stats.path, { ...basicParams(subject, stats), filter: [filter] });
        if (reply.status === 400 && CLOSED.includes(ranked.dimension)) continue;
        const { pageviews, events } = (await readFiltered(subject, stats, [filter])).answer;
        const kept = ranked.dimension === "events" ? events : pageviews;
        demand(kept === 0, reply, `nothing for ${quote(filter)}`, `${kept} ${measureOf(ranked.dimension)}`);
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
      await demandOneCount(subject, await chooseVisits(subject));
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
      for (const { dimension, value, isNot } of await chooseEach(subject)) {
        const measure = measureOf(dimension);
        await demandSameNumbers(
          async (fresh) => {
            const { reply, answer } = await read(subject, breakdown, { dimension }, { fresh });
            const row = answer.rows.find((each) => each.value === value);
            const rest = (answer.totals[measure] ?? 0) - (row?.[measure] ?? 0);
            return { reply, period: answer.period, numbers: { [measure]: rest } };
          },
          async () => only(await readCounts(subject, [isNot]), [measure]),
        );
      }
    },
  },
  "filters.pairs": {
    must: "Two conditions of any kind must both hold, two of one dimension, too: what the first keeps is what it keeps with the second and with its complement.",
    fix: "Keep the hits that meet every condition on hits, of the visits that meet every condition on visits; join nothing by OR but alternatives.",
    check: async (subject) => {
      for (const [first, { is, isNot }] of await listPairs(subject)) {
        const exact = parseFilter([is]).some(isOnHits) ? (["pageviews"] as const) : OF_VISITS;
        const filters = { alone: [first], is: [first, is], isNot: [first, isNot] };
        await compareFinished(subject, filters, (_, { alone, ...parts }) =>
          demandComplement(alone, parts, exact),
        );
      }
    },
  },
  "filters.hits": {
    must: "Where a condition keeps page views of a page, rows of visits count those alone, in every dimension: all rows add up to them if all rows about everything do.",
    fix: "Count the kept hits of each visit for the visit's value, not all of its hits.",
    check: async (subject) => {
      const page = await choosePage(subject);
      const rankings = await rankEach(subject, ROWS_OF_VISITS);
      const whole = rankings.filter(({ answer }) => countRows(answer.rows) === answer.totals.pageviews);
      if (whole.length === 0) throw new Skip("the rows of no dimension add up to all page views");
      for (const { dimension } of whole) {
        await demandSameNumbers(
          async (fresh) => only(await readRow(subject, "pages", page.value, fresh), ["pageviews"]),
          async () => {
            const { reply, answer } = await readFiltered(subject, breakdown, [page.is], { dimension });
            return { reply, period: answer.period, numbers: { pageviews: countRows(answer.rows) } };
          },
        );
        demandShares(await readFiltered(subject, breakdown, [page.is], { dimension }));
      }
    },
  },
  "filters.whole-visits": {
    must: "Where a condition keeps page views of a page, visits are whole in every operation: with pages= there are the same visits, bounces, seconds, entry and exit pages as with visit:pages=.",
    fix: "Find a visit's entry and exit page, bounce and seconds from all of its hits, then choose the visits with a kept hit.",
    check: async (subject) => {
      const page = await choosePage(subject);
      const { is } = page;
      for (const { dimension } of await rankEach(subject, ["entry_pages", "exit_pages"])) {
        await demandSameNumbers(
          (fresh) => readVisits(subject, dimension, `visit:${is}`, fresh),
          () => readVisits(subject, dimension, is, false),
        );
      }
      await demandOneCount(subject, page);
    },
  },
  "filters.days": {
    must: "A filter keeps the same in a shorter period: 7 days are the last points of 30, and percentages are of their totals.",
    fix: "Choose days and hits independently of each other.",
    check: async (subject) => {
      for (const { is } of [await chooseVisits(subject), await choosePage(subject)])
        await demandSameWeek(subject, is);
    },
  },
  "filters.order": {
    must: "All conditions must hold, in whatever order: two keep the same when exchanged, and no more than each alone; with a third that nobody meets, nothing.",
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
      const { reply, numbers } = await readCounts(subject, [is, isNot, "pages=/conform-no-such-page"]);
      demand(numbers.pageviews === 0, reply, "no page views", `${numbers.pageviews} page views`);
    },
  },
  "filters.alternatives": {
    must: "Alternatives are kept together: the page views of two rows, of visits or pages, add up to those of both; and != keeps all others.",
    fix: "Split the value at |, and keep what matches one of the parts; with !=, what matches none.",
    check: async (subject) => {
      const { dimension } = await chooseVisits(subject);
      await demandAlternatives(subject, dimension, "=");
      await demandAlternatives(subject, "pages", "=");
      await demandAlternatives(subject, "pages", "!=");
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
    must: "An asterisk stands for any text: pages=* keeps all page views, and a part of a path before or after an asterisk, or both, those of all such pages.",
    fix: "Let * match any number of any characters, / included, and compare the whole value.",
    check: async (subject) => {
      subject.demandVisits();
      const { answer } = await rank(subject, "pages");
      for (const pattern of choosePatterns(answer)) {
        const [start, end] = pattern;
        const readKept = () => readCounts(subject, [`pages=${escapeValue(start)}*${escapeValue(end)}`]);
        if (start + end === "" || answer.rows.length === answer.total_rows) {
          await demandSameNumbers(
            (fresh) => readMatching(subject, pattern, fresh),
            async () => only(await readKept(), ["pageviews"]),
          );
          continue;
        }
        const { pageviews = 0 } = (await readMatching(subject, pattern, false)).numbers;
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
    must: "visit:pages= keeps whole visits: at least the page views of pages=, of the same visitors; and visit:pages!= keeps all other visits. So do visit:hostnames and visit:events.",
    fix: "Find the visits with such a hit, then count all of their hits; with !=, those of the visits without one.",
    check: async (subject) => {
      const others = (await chooseEach(subject)).filter(({ dimension }) => OTHER_HITS.includes(dimension));
      for (const { is, isNot } of [await choosePage(subject), ...others]) {
        const filters = { hits: [is], is: [`visit:${is}`], isNot: [`visit:${isNot}`] };
        await compareFinished(subject, filters, (whole, { hits, ...parts }) => {
          const { reply, numbers } = parts.is;
          const { visitors, pageviews } = hits.numbers;
          const seen = `${numbers.visitors} visitors and ${numbers.pageviews} page views`;
          const holds = numbers.visitors === visitors && numbers.pageviews >= pageviews;
          demand(holds, reply, `${visitors} visitors and at least ${pageviews} page views`, seen);
          demandComplement(whole, parts, OF_VISITS);
        });
      }
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
