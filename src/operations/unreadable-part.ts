import { AnalyticsError } from "../errors.ts";

/** A list of a service, or its active visitors, cannot be read, which says nothing about its other answers. */
export class UnreadablePartError extends AnalyticsError {}
