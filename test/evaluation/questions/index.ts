import type { Question } from "../question.ts";
import { breakdowns } from "./breakdowns.ts";
import { calendar } from "./calendar.ts";
import { changes } from "./changes.ts";
import { clocks } from "./clocks.ts";
import { comparisons } from "./comparisons.ts";
import { conversions } from "./conversions.ts";
import { crawlers } from "./crawlers.ts";
import { deadLinks } from "./dead-links.ts";
import { edgeChanges } from "./edge-changes.ts";
import { events } from "./events.ts";
import { notRecorded } from "./not-recorded.ts";
import { parts } from "./parts.ts";
import { sites } from "./sites.ts";
import { strangers } from "./strangers.ts";
import { totals } from "./totals.ts";
import { yearEnds } from "./year-ends.ts";

/** What people ask, by theme. */
export const questions: readonly Question[] = [
  ...totals,
  ...calendar,
  ...yearEnds,
  ...clocks,
  ...breakdowns,
  ...events,
  ...parts,
  ...conversions,
  ...notRecorded,
  ...crawlers,
  ...deadLinks,
  ...comparisons,
  ...changes,
  ...edgeChanges,
  ...strangers,
  ...sites,
];
