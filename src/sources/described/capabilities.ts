import type { Call, CallOptions } from "../../operations/call.ts";
import type { DescribedService } from "./described-answers.ts";
import type { ServiceReader } from "./service-reader.ts";

/** A service that is read by its own words. */
export interface Described {
  service: DescribedService;
  reader: ServiceReader;
}

/** What such a call has beside answers. */
export const CAPABILITIES = [
  "readSite",
  "offersSpans",
  "offersFilter",
  "offersHours",
  "mayOffer",
  "listed",
  "offersDays",
  "fitDays",
  "allDays",
  "today",
  "lastDay",
  "addsUp",
  "readDescribed",
] as const;

export type DescribedCall = Call &
  Required<Pick<Call, Exclude<(typeof CAPABILITIES)[number], "readDescribed">>> & {
    /** How the service is read; undefined for one of the contract. Asks for its sites only if that is not known yet. */
    readDescribed(options: CallOptions): Promise<Described | undefined>;
  };
