import { askChange, askTooEarly } from "../period-questions.ts";
import type { Question } from "../question.ts";

const back = "the Monday after the clocks went back";
const forward = "the Monday after the clocks went forward";
const newYear = "the first hours of the year";
const afterNewYear = "the Monday after new year";
const march = "the evening of 31 March";
const leap = "the day after a leap day";

/** Comparisons after clock changes, short months and the turn of the year. */
export const edgeChanges: Question[] = [
  askChange(
    "Did the long Sunday bring more than the Sunday before?",
    back,
    "example.com",
    "yesterday",
    "2026-10-25",
    "2026-10-18",
    "2026-10-18",
  ),
  askChange(
    "Was the week of 169 hours better than the one before?",
    back,
    "example.com",
    "last_week",
    "2026-10-19 to 2026-10-25",
    "2026-10-12 to 2026-10-18",
  ),
  askChange(
    "Did the short Sunday cost us visitors, compared with the Sunday before?",
    forward,
    "example.com",
    "yesterday",
    "2026-03-29",
    "2026-03-22",
    "2026-03-22",
  ),
  // 29 days and all 28 of February.
  askChange(
    "How does March compare with February up to yesterday?",
    forward,
    "example.com",
    "this_month",
    "2026-03-01 to 2026-03-29",
    "2026-02-01 to 2026-02-28",
  ),
  askChange(
    "Was February better than January?",
    forward,
    "example.com",
    "last_month",
    "2026-02-01 to 2026-02-28",
    "2026-01-01 to 2026-01-31",
  ),

  askChange(
    "On the 31st: is March better than February?",
    march,
    "example.com",
    "this_month",
    "2026-03-01 to 2026-03-30",
    "2026-02-01 to 2026-02-28",
  ),
  askChange(
    "Was March better than February in the shop, where it is over?",
    march,
    "shop.example.net",
    "last_month",
    "2026-03-01 to 2026-03-31",
    "2026-02-01 to 2026-02-28",
  ),
  askTooEarly("Is April better than March in the shop?", march, "shop.example.net", "this_month"),
  askChange(
    "How does this quarter compare with as many days of the one before?",
    march,
    "docs.example.com",
    "this_quarter",
    "2026-01-01 to 2026-03-30",
    "2025-10-01 to 2025-12-28",
  ),

  askChange(
    "Was the February of 29 days better than the last one?",
    leap,
    "docs.example.com",
    "last_month",
    "2028-02-01 to 2028-02-29",
    "2027-02-01 to 2027-02-28",
    "year_before",
  ),
  askChange(
    "Was the leap day better than that Tuesday a year before?",
    leap,
    "example.com",
    "yesterday",
    "2028-02-29",
    // A Tuesday, too.
    "2027-03-02",
    "year_before",
  ),
  // The days are those of February, but 29 days were asked for, not a month.
  askChange(
    "How do the last 29 days compare with the 29 before?",
    leap,
    "example.com",
    "last_29_days",
    "last 29 complete days",
    "2028-01-03 to 2028-01-31",
  ),

  askChange(
    "How did December compare with November?",
    newYear,
    "example.com",
    "last_month",
    "2026-12-01 to 2026-12-31",
    "2026-11-01 to 2026-11-30",
  ),
  askChange(
    "How do the last 31 days compare with the 31 before, at midnight on new year?",
    newYear,
    "example.com",
    "last_31_days",
    "2026-12-01 to 2026-12-31",
    "2026-10-31 to 2026-11-30",
  ),
  // It is 31 December in New York, and November had 30 days.
  askChange(
    "Is December better than November for the docs, on its last day?",
    newYear,
    "docs.example.com",
    "this_month",
    "2026-12-01 to 2026-12-30",
    "2026-11-01 to 2026-11-30",
  ),
  askTooEarly("Is this year better than the last one, an hour into it?", newYear, "example.com", "this_year"),
  askChange(
    "How was the week over new year, compared with Christmas week?",
    afterNewYear,
    "example.com",
    "last_week",
    "2026-12-28 to 2027-01-03",
    "2026-12-21 to 2026-12-27",
  ),
  askChange(
    "And compared with new year a year ago?",
    afterNewYear,
    "example.com",
    "last_week",
    "2026-12-28 to 2027-01-03",
    "2025-12-29 to 2026-01-04",
    "year_before",
  ),
  askChange(
    "How has the year begun at the docs, compared with the days before it?",
    afterNewYear,
    "docs.example.com",
    "this_year",
    "2027-01-01 to 2027-01-03",
    "2026-12-29 to 2026-12-31",
    "2026-12-29/2026-12-31",
  ),
  askChange(
    "Has the year begun better than the last one?",
    afterNewYear,
    "docs.example.com",
    "this_year",
    "2027-01-01 to 2027-01-03",
    "2026-01-01 to 2026-01-03",
  ),
];
