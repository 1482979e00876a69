import { NOW } from "../support/api.ts";

/**
 * The moments at which questions are asked, in milliseconds since 1970. They are few, because each needs a service and
 * servers, and awkward, because a wrong window can give the right numbers on an ordinary day.
 */
export const moments = {
  /** 05:05 in Berlin and 13:05 in Tokyo on Saturday, 21 November 2026; 23:05 on Friday in New York. */
  "a Saturday morning": NOW,
  /** 09:30 in Berlin: "last week" ended yesterday, "this week" began some hours ago. */
  "a Monday morning": Date.parse("2026-11-23T08:30:00Z"),
  /** 19:00 in Berlin, but 03:00 on Monday in Tokyo: "last week" is a different week there. */
  "a Sunday evening": Date.parse("2026-11-22T18:00:00Z"),
  /** 22:30 in Berlin on the day of 25 hours: 23 and a half of them have passed. */
  "the night the clocks went back": Date.parse("2026-10-25T21:30:00Z"),
  /** 08:00 in Berlin on the Monday after the day of 23 hours. */
  "the Monday after the clocks went forward": Date.parse("2026-03-30T06:00:00Z"),
  /** 00:03 on Wednesday in Tokyo, 16:03 on Tuesday in Berlin. */
  "three minutes past midnight in Tokyo": Date.parse("2026-11-17T15:03:00Z"),
  /** 01:30 on 1 January 2027 in Berlin; still 31 December in New York and São Paulo. */
  "the first hours of the year": Date.parse("2027-01-01T00:30:00Z"),
  /** 09:00 in Berlin: "last week" began in the old year. */
  "the Monday after new year": Date.parse("2027-01-04T08:00:00Z"),
  /** 08:00 in Berlin: yesterday had 25 hours. */
  "the Monday after the clocks went back": Date.parse("2026-10-26T07:00:00Z"),
  /** 22:00 in Berlin, after a month of 28 days; already 1 April in Tokyo. */
  "the evening of 31 March": Date.parse("2026-03-31T20:00:00Z"),
  /** 10:00 in Berlin on 1 March 2028. */
  "the day after a leap day": Date.parse("2028-03-01T09:00:00Z"),
} as const;

export type Moment = keyof typeof moments;
