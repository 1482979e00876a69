import type { OpenDay } from "./open-day.ts";
import type { SiteLog } from "./site-log.ts";

/** Gets the details that a collector keeps only as sums. */
export interface Recorder {
  /** Called for each new sender of a day, in the order of their numbers. */
  addSender(log: SiteLog, day: OpenDay, group: string, userAgent: string): void;
  addBot(log: SiteLog, day: OpenDay, request: BotRequest): void;
}

export interface BotRequest {
  group: string;
  userAgent: string;
  /** Undefined if it is not a known crawler. */
  crawler: string | undefined;
  path: string;
  status: number;
  /** Seconds since 1970. */
  time: number;
}
