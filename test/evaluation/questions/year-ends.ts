import { askDays, askRows, askTotals } from "../period-questions.ts";
import type { Question } from "../question.ts";

const newYear = "the first hours of the year";
const afterNewYear = "the Monday after new year";
const march = "the evening of 31 March";
const leap = "the day after a leap day";

/** Months, quarters and years that have just ended, at one site or another. */
export const yearEnds: Question[] = [
  askTotals(
    "How did December go in the shop?",
    newYear,
    "shop.example.net",
    "last_month",
    "2026-12-01 to 2026-12-31",
  ),
  askTotals(
    "How many visitors do we have this month, in the first hours of January?",
    newYear,
    "example.com",
    "this_month",
    "2027-01-01",
  ),
  askTotals(
    "How many this week, which began in the old year?",
    newYear,
    "example.com",
    "this_week",
    "2026-12-28 to 2027-01-01",
  ),
  askTotals(
    "And the docs this month, where it is still December?",
    newYear,
    "docs.example.com",
    "this_month",
    "2026-12-01 to 2026-12-31",
  ),
  askTotals(
    "What about the docs last month?",
    newYear,
    "docs.example.com",
    "last_month",
    "2026-11-01 to 2026-11-30",
  ),
  // It is 31 December in São Paulo.
  askTotals(
    "Quantos visitantes tivemos este ano?",
    newYear,
    "globex.example",
    "this_year",
    "2026-01-01 to 2026-12-31",
  ),
  askTotals("E no trimestre passado?", newYear, "globex.example", "last_quarter", "2026-07-01 to 2026-09-30"),
  askTotals(
    "How was the last quarter of the year in the shop, which is over there?",
    newYear,
    "shop.example.net",
    "last_quarter",
    "2026-10-01 to 2026-12-31",
  ),
  askTotals(
    "How many have come this year, all one and a half hours of it?",
    newYear,
    "example.com",
    "this_year",
    "2027-01-01",
  ),

  askTotals(
    "How many came in the week over new year?",
    afterNewYear,
    "example.com",
    "last_week",
    "2026-12-28 to 2027-01-03",
  ),
  askDays(
    "How did the week over new year go, day by day?",
    afterNewYear,
    "docs.example.com",
    "last_week",
    "2026-12-28 to 2027-01-03",
  ),
  askRows(
    "What did people read over new year?",
    afterNewYear,
    "docs.example.com",
    "last_week",
    "2026-12-28 to 2027-01-03",
    "pages",
  ),
  askTotals(
    "How many between Christmas Eve and yesterday?",
    afterNewYear,
    "example.com",
    "2026-12-24/2027-01-03",
    "2026-12-24 to 2027-01-03",
  ),
  askTotals(
    "How many last month, now that it is January?",
    afterNewYear,
    "example.com",
    "last_month",
    "2026-12-01 to 2026-12-31",
  ),
  askTotals(
    "How many visitors did the docs have in all of last year?",
    afterNewYear,
    "docs.example.com",
    "last_year",
    "last year",
  ),
  askTotals(
    "Et depuis le début de l'année ?",
    afterNewYear,
    "docs.example.com",
    "this_year",
    "2027-01-01 to 2027-01-04",
  ),
  askRows(
    "What was sold in the last quarter?",
    afterNewYear,
    "shop.example.net",
    "last_quarter",
    "2026-10-01 to 2026-12-31",
    "events",
  ),

  askTotals(
    "How many came this month, on its 31st day?",
    march,
    "example.com",
    "this_month",
    "2026-03-01 to 2026-03-31",
  ),
  askDays("How was each day of March?", march, "example.com", "2026-03", "this month"),
  askTotals(
    "How many came last month, the one with 28 days?",
    march,
    "example.com",
    "last_month",
    "2026-02-01 to 2026-02-28",
  ),
  // It is 1 April in Tokyo.
  askTotals("How many has the shop had this month?", march, "shop.example.net", "this_month", "2026-04-01"),
  askRows(
    "What did the shop sell last month?",
    march,
    "shop.example.net",
    "last_month",
    "2026-03-01 to 2026-03-31",
    "events",
  ),
  askTotals(
    "How was the shop's last quarter, which ended a few hours ago?",
    march,
    "shop.example.net",
    "last_quarter",
    "2026-01-01 to 2026-03-31",
  ),
  askTotals(
    "And our last quarter, when ours still has two hours to go?",
    march,
    "example.com",
    "last_quarter",
    "2025-10-01 to 2025-12-31",
  ),

  askTotals("How many came yesterday, on the leap day?", leap, "example.com", "yesterday", "2028-02-29"),
  askTotals(
    "How many came in February, all 29 days?",
    leap,
    "docs.example.com",
    "last_month",
    "2028-02-01 to 2028-02-29",
  ),
  askDays(
    "How did this February go, day by day?",
    leap,
    "example.com",
    "2028-02",
    "2028-02-01 to 2028-02-29",
  ),
  askRows("Which devices came on the leap day?", leap, "example.com", "2028-02-29", "yesterday", "devices"),
];
