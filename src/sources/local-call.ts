import type { AskedSteps, Call, CallOptions } from "../operations/call.ts";
import { countDays } from "../operations/days.ts";
import type { Dimension } from "../operations/dimensions.ts";
import { addFilter, type Filter, formatFilter } from "../operations/filter.ts";
import { onceDone } from "../operations/schemas.ts";
import { dateAt } from "./calendar.ts";
import type { PartialSource } from "./data-source.ts";

/** Loads the answers at the first call: a server that lists its tools does not wait for them. */
const loadAnswers = () => import("./operation-answers.ts");

/**
 * Creates calls to a source in this process: no key, no HTTP, no cache. The first call opens the source.
 *
 * @param about Its name for people, and the site to use when a query names none.
 */
export function createLocalCall(
  open: () => Promise<PartialSource>,
  clock: () => number,
  about: LocalAbout = {},
): Call {
  return createCall(onceDone(open), clock, about);
}

interface LocalAbout {
  label?: string;
  site?: string | undefined;
}

/** @param find The source that each call asks. */
export function createCall(
  find: () => PartialSource | Promise<PartialSource>,
  clock: () => number,
  { label, site }: LocalAbout = {},
): Call {
  const call: Call = async (operation, params, { signal, span, filter, withDates } = {}) => {
    signal?.throwIfAborted();
    const source = await find();
    const { answerOperation } = await loadAnswers();
    // The result is that of this operation, which the compiler cannot see through its name.
    const asked = { ...params, ...span, ...addFilter(operation, filter) };
    const context = { source, label, now: clock(), signal, withDates };
    return answerOperation(operation, asked, context) as never;
  };
  return Object.assign(call, {
    readSite: async () => site,
    offersSpans: async () => true,
    offersFilter: async () => (await find()).filters !== undefined,
    answersFilter: async (dimension: Dimension, filter: Filter) =>
      (await find()).answersFilter?.(dimension, filter) ?? true,
    offersHours: async () => (await find()).hours !== undefined,
    mayOffer: async (operation: { name: string }) =>
      (await loadAnswers()).offersOperation(await find(), operation),
    countSteps: async ({ site, from, to, steps }: AskedSteps, { signal, filter }: CallOptions) => {
      signal?.throwIfAborted();
      const source = await find();
      const { answerSteps } = await loadAnswers();
      const asked = {
        site,
        days: countDays(from, to),
        from,
        to,
        ...(filter && { filter: formatFilter(filter) }),
      };
      return answerSteps(asked, steps, { source, label, now: clock(), signal });
    },
    today: async (name: string, { signal }: CallOptions) => {
      const { findSite } = await import("./query-span.ts");
      const { timezone } = await findSite(await find(), name, signal);
      return dateAt(clock(), timezone);
    },
    readDataDays: async (name: string, { signal }: CallOptions) => {
      const { findSite } = await import("./query-span.ts");
      const { dataSince, dataUntil } = await findSite(await find(), name, signal);
      return { since: dataSince ?? null, until: dataUntil };
    },
  });
}
