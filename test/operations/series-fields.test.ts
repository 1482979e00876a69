import { expect, it } from "vitest";
import { showPoint } from "../../src/operations/series-fields.ts";

const zeros = { visitors: 0, pageviews: 0, visits: 0, bounces: 0, visit_seconds: 0 };

it("shows the zeros of a day without traffic, and none of a day without data", () => {
  expect(showPoint(zeros)).toMatchObject({ visitors: 0, pageviews: 0, visits: 0, bounce_rate: null });
  expect(showPoint({ ...zeros, missing: true })).toEqual({ visitors: null, pageviews: null, partial: null });
});
