import { InvalidArgumentError } from "commander";
import { quoteWord } from "../../errors.ts";

/** Reads the value of `--port`. */
export function readPort(text: string): number {
  if (/^\d{1,5}$/.test(text) && Number(text) <= 65_535) return Number(text);
  throw new InvalidArgumentError(`must be a whole number from 0 to 65535, not ${quoteWord(text)}.`);
}
