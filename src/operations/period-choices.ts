import { periodWords } from "./period-words.ts";

/** Periods to choose from, in completion: those of one word, and the complete days that people often ask for. */
export const periodChoices: readonly string[] = [
  ...periodWords,
  "last_7_days",
  "last_28_days",
  "last_30_days",
  "last_90_days",
];
