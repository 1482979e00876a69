/** The range that a number lies in, both ends included; they are equal if the number is known. */
export interface Bounds {
  least: number;
  most: number;
}

/** The number, or null if it is only known as a range. */
export const exact = ({ least, most }: Bounds) => (least === most ? most : null);

export const exactly = (number: number): Bounds => ({ least: number, most: number });

export const subtract = (a: Bounds, b: Bounds): Bounds => ({
  least: a.least - b.most,
  most: a.most - b.least,
});

/** The part of a range that lies in another one; if none does, the end that is closest to it. */
export function narrow(range: Bounds, { least, most }: Bounds): Bounds {
  const clamp = (value: number) => Math.min(range.most, Math.max(range.least, value));
  return { least: clamp(Math.min(least, most)), most: clamp(Math.max(least, most)) };
}

/** The smallest distance from zero that a number in the range can have. */
export const nearest = ({ least, most }: Bounds) => Math.max(0, least, -most);

/** The largest distance from zero that a number in the range can have. */
export const furthest = ({ least, most }: Bounds) => Math.max(Math.abs(least), Math.abs(most));
