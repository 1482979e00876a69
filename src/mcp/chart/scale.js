// @ts-check

/**
 * Round integers from 0 to at least `most`, in about four steps.
 * @param {number} most
 */
export function findTicks(most) {
  const rough = Math.max(1, most / 4);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 2.5, 5, 10].map((each) => each * power).find((each) => each >= rough && each % 1 === 0);
  const height = step ?? 10 * power;
  const steps = Math.max(1, Math.ceil(most / height));
  return Array.from({ length: steps + 1 }, (_, index) => index * height);
}

const STRIDES = [1, 2, 7, 14, 28, 56];

/**
 * Which days get a label: the last one, and earlier ones at intervals that leave room for each label. Longer intervals
 * are whole weeks, so that all labels are on the same weekday.
 * @param {number} days
 * @param {number} fitting how many labels fit
 */
export function findLabelled(days, fitting) {
  const stride = STRIDES.find((each) => Math.ceil(days / each) <= fitting) ?? days;
  const labelled = [];
  for (let index = days - 1; index >= 0; index -= stride) labelled.unshift(index);
  return labelled;
}
