// @ts-check

/**
 * Checks structured content once, before anything is drawn. Only complete answers of these two tools are drawn, because
 * a chart of a partial answer would be wrong.
 * @typedef {import("../../reports/overview-result.ts").Overview} Overview
 * @typedef {import("../../reports/compare-result.ts").Comparison} Comparison
 * @typedef {Comparison["dimensions"][number]} Group
 * @typedef {Group["movers"][number]} Mover
 * @typedef {((value: unknown) => boolean) | [Shape] | { [key: string]: Shape }} Shape
 */

const isText = (/** @type {unknown} */ value) => typeof value === "string";
const isFlag = (/** @type {unknown} */ value) => typeof value === "boolean";
const isCount = (/** @type {unknown} */ value) => Number.isSafeInteger(value) && Number(value) >= 0;
const isDay = (/** @type {unknown} */ value) =>
  typeof value === "string" &&
  /^\d{4}-\d\d-\d\d$/.test(value) &&
  !Number.isNaN(Date.parse(`${value}T00:00:00Z`));
const isInstant = (/** @type {unknown} */ value) =>
  typeof value === "string" && /^\d{4}-\d\d-\d\dT/.test(value) && !Number.isNaN(Date.parse(value));
const isNumber = (/** @type {unknown} */ value) => Number.isFinite(value);
const orNull = (/** @type {Shape} */ shape) => (/** @type {unknown} */ value) =>
  value === null || fits(value, shape);
const orNone = (/** @type {Shape} */ shape) => (/** @type {unknown} */ value) =>
  value === undefined || fits(value, shape);

const span = { from: isDay, to: isDay, visitors: isCount, pageviews: isCount };
const change = { absolute: isNumber, percent: orNull(isNumber) };
const bounds = { least: isCount, most: isCount };
const site = { domain: isText };

/** @type {Shape} */
const overview = {
  site,
  period: { from: isDay, to: isDay, days: isCount, timezone: isText, partial: isFlag, as_of: isInstant },
  visitors: isCount,
  pageviews: isCount,
  events: isCount,
  active_now: isCount,
  comparison: orNull({ previous: span, visitors: change, pageviews: change, small_sample: isFlag }),
  today: { visitors: isCount },
  trend: {
    from: isDay,
    visitors: [isCount],
    pageviews: orNone([isCount]),
    partial: isFlag,
    previous: orNone({ from: isDay, visitors: [isCount], pageviews: [isCount] }),
  },
  top: [
    {
      dimension: isText,
      rows: [{ label: isText, visitors: isCount, visitors_at_most: orNone(isCount), percentage: isNumber }],
    },
  ],
};

/** @type {Shape} */
const comparison = {
  site,
  timezone: isText,
  as_of: isInstant,
  current: span,
  previous: span,
  small_sample: isFlag,
  change: { visitors: change, pageviews: change },
  dimensions: [
    {
      dimension: isText,
      drift: isCount,
      cut_off: isFlag,
      movers: [
        {
          label: isText,
          current: orNull(isCount),
          previous: orNull(isCount),
          change: orNull(change),
          bounds: orNone({ current: bounds, previous: bounds, change: { least: isNumber, most: isNumber } }),
        },
      ],
      more: { count: isCount, most: isCount },
    },
  ],
};

/**
 * @param {unknown} value
 * @param {Shape} shape
 * @returns {boolean}
 */
function fits(value, shape) {
  if (typeof shape === "function") return shape(value);
  if (Array.isArray(shape)) return Array.isArray(value) && value.every((each) => fits(each, shape[0]));
  return isObject(value) && Object.entries(shape).every(([key, each]) => fits(value[key], each));
}

/** @param {unknown} value @returns {value is Record<string, unknown>} */
export function isObject(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** @param {unknown} value @returns {value is Overview} */
export function isOverview(value) {
  return fits(value, overview);
}

/** @param {unknown} value @returns {value is Comparison} */
export function isComparison(value) {
  return fits(value, comparison);
}

/** @param {unknown} content structured content @returns {string[]} */
export function readNotes(content) {
  const receipt = isObject(content) ? content.receipt : undefined;
  const notes = isObject(receipt) ? receipt.notes : undefined;
  return Array.isArray(notes) ? notes.filter((note) => typeof note === "string") : [];
}
