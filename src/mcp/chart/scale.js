// @ts-check

/**
 * Round numbers from 0 to at least `most`, some four steps of them; whole ones, since visitors are.
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
 * Which days get a label: the last one, and back from it in strides that leave each label its room. Weeks are
 * kept whole, so that labels stand on one weekday.
 * @param {number} days
 * @param {number} fitting how many labels have room
 */
export function findLabelled(days, fitting) {
  const stride = STRIDES.find((each) => Math.ceil(days / each) <= fitting) ?? days;
  const labelled = [];
  for (let index = days - 1; index >= 0; index -= stride) labelled.unshift(index);
  return labelled;
}
