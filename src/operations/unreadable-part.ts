import { AnalyticsError } from "../errors.ts";

/** One list of a service cannot be read, which says nothing about its others. */
export class UnreadableListError extends AnalyticsError {}
