import type { OpenDay } from "./open-day.ts";
import type { SiteLog } from "./site-log.ts";

/** Gets the details that a collector keeps only as sums. */
export interface Recorder {
  /** Called for each new sender of a day, in the order of their numbers. */
  addSender(log: SiteLog, day: OpenDay, group: string, userAgent: string): void;
  addBot(log: SiteLog, day: OpenDay, request: BotRequest): void;
  /** Called for each request that is answered 404, 410 or 5xx (add-failed.ts), but those of bots. */
  addFailed(log: SiteLog, day: OpenDay, request: FailedRequest): void;
}

export interface FailedRequest {
  /** Their numbers on that day. */
  sender: number;
  link: number;
  status: number;
  /** Seconds since 1970. */
  time: number;
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
