import { quote } from "../../errors.ts";
import { breakdown, realtime, stats, timeseries } from "../../operations/index.ts";
import { items, member, type Reply } from "../reply.ts";
import { demandRefusal, demandStatus, findRefused } from "../reply-checks.ts";
import { defineSection } from "../rule.ts";
import { basicParams, read, type Subject, siteOperations } from "../subject.ts";
import { demand } from "../verdict.ts";
import { tagOf } from "./etag-rules.ts";
import { chooseEach, findFiltering, readFiltered } from "./filter-requests.ts";
import { filterNumberRules } from "./filters-numbers-rules.ts";

type Filtering = (typeof siteOperations)[number];

/** Conditions in another order and spelling, and the form in which every service repeats them. */
const SPELLED = [
  "visit:pages!=/conform-c|\\/conform-a|/conform-\u{1f600}|/conform-\uff5e|/conform-c",
  "pages!=/conform\\|x\\*\\y|/conform*=!",
  "pages!=/conform*\\=!|/conform\\|x\\*y",
];
const CANONICAL = [
  "pages!=/conform*=!|/conform\\|x\\*y",
  "visit:pages!=/conform-a|/conform-c|/conform-\uff5e|/conform-\u{1f600}",
];

/** A page that nobody can have read. */
const NOBODY = ["pages=/conform-no-such-page"];

/** What is no filter. */
const REFUSED = ["conform=x", "countries", "pages=/conform\\", "visit:devices=desktop", "visit:pages"];

/** More than 8,000 bytes, whether a service counts the encoded values or the whole query. */
const TOO_LONG = `pages!=/${"x".repeat(9_000)}`;

const askFor = (subject: Subject, operation: Filtering, filter: readonly string[]) =>
  subject.ask(operation.path, { ...basicParams(subject, operation), filter });

function demandRefusedFilter(reply: Reply): void {
  demandRefusal(reply, 400, "invalid_parameter");
  const listed = items(member(reply.json, "errors")).map((entry) => member(entry, "parameter"));
  demand(findRefused(reply, "filter") !== undefined, reply, "an entry for filter in errors", quote(listed));
}

const codesOf = ({ warnings = [] }: { warnings?: { code: string }[] | undefined }) =>
  warnings.map(({ code }) => code);

export const filtersSection = defineSection({
  name: "filters",
  title: "Filters (if offered)",
  rules: {
    "filters.echo": {
      must: "An answer repeats its filter in canonical form: only bars, asterisks and backslashes are escaped; alternatives and conditions are in code point order, each once. An answer about everything has no filter.",
      fix: "Send filter: the parsed conditions, written anew and sorted. Clients refuse an answer without them.",
      check: async (subject) => {
        for (const operation of await findFiltering(subject, siteOperations)) {
          const { reply: plain } = await read(subject, operation);
          const own = member(plain.json, "filter");
          demand(own === undefined, plain, "no filter", quote(own));
          const { reply } = await read(subject, operation, { filter: SPELLED });
          const seen = quote(member(reply.json, "filter"));
          demand(seen === quote(CANONICAL), reply, quote(CANONICAL), seen);
        }
      },
    },
    "filters.refused": {
      must: "What is no condition is refused: an unknown dimension, no operator, a backslash at the end, visit: before a dimension of visits, or nothing: 400, invalid_parameter, with an entry for filter.",
      fix: "Parse every condition before counting anything, and put the parameter filter into errors.",
      check: async (subject) => {
        const offering = await findFiltering(subject, siteOperations);
        for (const [index, operation] of offering.entries()) {
          demandRefusedFilter(await askFor(subject, operation, ["pages=*", "conform=x"]));
          if (index > 0) continue;
          for (const text of REFUSED) demandRefusedFilter(await askFor(subject, operation, [text]));
          const empty = await askFor(subject, operation, [""]);
          demandRefusal(empty, 400, "invalid_parameter", "missing_parameter");
        }
      },
    },
    "filters.bounds": {
      must: "Ten conditions are accepted, and so is a value of 500 characters; eleven conditions, or values of more than 8,000 bytes when encoded, are refused: 400, invalid_parameter.",
      fix: "Count the conditions, and the bytes of their encoded values; refuse what is beyond the bounds, never cut it off.",
      check: async (subject) => {
        const [operation] = await findFiltering(subject, [stats]);
        if (operation === undefined) return;
        const eleven = Array.from({ length: 11 }, (_, index) => `pages!=/conform-${index}`);
        demandStatus(await askFor(subject, operation, eleven.slice(1)), 200);
        demandRefusedFilter(await askFor(subject, operation, eleven));
        demandStatus(await askFor(subject, operation, [`pages!=${"\u{1f600}".repeat(500)}`]), 200);
        demandRefusedFilter(await askFor(subject, operation, [TOO_LONG]));
      },
    },
    "filters.closed-lists": {
      should:
        "A country or device that cannot exist is refused, and not answered with zeros: 400, invalid_parameter.",
      fix: "Check values of countries, regions, languages, devices and channels against the contract's lists.",
      check: async (subject) => {
        for (const operation of await findFiltering(subject, [stats])) {
          for (const filter of ["countries=conform", "devices=conform"]) {
            demandRefusedFilter(await askFor(subject, operation, [filter]));
          }
        }
      },
    },
    "filters.no-such-value": {
      must: "A page that nobody read gives zeros with the warning no_such_value, and no other points with missing: true than everything; a value that somebody has comes without the warning.",
      fix: "Answer 200 with zeros and the warning: a value may be misspelled, or come tomorrow.",
      check: async (subject) => {
        for (const operation of await findFiltering(subject, [stats, timeseries, breakdown])) {
          const { reply, answer } = await readFiltered(subject, operation, NOBODY);
          const codes = codesOf(answer);
          demand(codes.includes("no_such_value"), reply, "the warning no_such_value", quote(codes));
          const counted = findCount(reply.json);
          demand(counted === undefined, reply, "only zeros", `${counted}`);
        }
        await demandSameMissing(subject);
        for (const { is } of await chooseEach(subject)) {
          const { reply, answer } = await readFiltered(subject, stats, [is]);
          const codes = codesOf(answer);
          demand(!codes.includes("no_such_value"), reply, "no warning no_such_value", quote(codes));
        }
      },
    },
    "filters.realtime": {
      must: "Active visitors are filtered, too: of a page that nobody read, there are none.",
      fix: "Apply the filter to the hits of the window before counting visitors.",
      check: async (subject) => {
        const { reply, answer } = await readFiltered(subject, realtime, NOBODY);
        demand(answer.visitors === 0, reply, "no visitors", `${answer.visitors} visitors`);
      },
    },
    ...filterNumberRules,
    "filters.cache": {
      must: "A filtered answer is never taken for the one about everything: it has another ETag, and that of everything gives no 304.",
      fix: "Compute the tag from the filtered answer, and compare If-None-Match with that tag.",
      check: async (subject) => {
        subject.demandVisits();
        const { reply: all } = await read(subject, stats);
        const { reply: filtered } = await readFiltered(subject, stats, NOBODY);
        const etag = tagOf(all);
        const own = tagOf(filtered);
        demand(own !== etag, filtered, "another ETag than without the filter", quote(own));
        const params = { ...basicParams(subject, stats), filter: NOBODY };
        demandStatus(await subject.ask(stats.path, params, { headers: { "if-none-match": etag } }), 200);
      },
    },
  },
});

/** Demands that days without kept hits are not taken for days without data. */
async function demandSameMissing(subject: Subject): Promise<void> {
  const [plain, { reply, answer }] = [
    await read(subject, timeseries),
    await readFiltered(subject, timeseries, NOBODY),
  ];
  const marked = new Set(plain.answer.points.flatMap(({ date, missing }) => (missing ? [date] : [])));
  const wrong = answer.points.find(
    ({ date, missing = false }) => date !== answer.period.to && missing !== marked.has(date),
  );
  const expected = `${wrong?.missing ? "no " : ""}missing: true, as without the filter`;
  demand(wrong === undefined, reply, expected, quote(wrong));
}

const COUNTS = /^(visitors|pageviews|events|visits|bounces|visit_seconds|total_rows)$/;

/** A count above zero anywhere in an answer. */
function findCount(json: unknown): string | undefined {
  let found: string | undefined;
  JSON.stringify(json, (key, value) => {
    if (COUNTS.test(key) && typeof value === "number" && value > 0) found ??= `${key}: ${value}`;
    return value;
  });
  return found;
}
