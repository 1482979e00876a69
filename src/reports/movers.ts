import * as z from "zod";
import { nameValues } from "../operations/dimension-names.ts";
import { nameColumns } from "../operations/dimensions.ts";
import { count } from "../operations/fields.ts";
import { countUnits, forModels, forPeople, type Note, note, propose } from "../operations/note.ts";
import type { View } from "../operations/view.ts";
import type { Bounds } from "./bounds.ts";
import { averageColumns, change, changeColumns, perDay } from "./report-fields.ts";

/** What is shown first: the largest changes, losses or gains. */
export const orders = ["change", "losses", "gains"] as const;
export type Order = (typeof orders)[number];

const bounds = () => z.object({ least: count, most: count });
const changeBounds = () => z.object({ least: z.int(), most: z.int() });
const rateBounds = () => z.object({ least: z.number(), most: z.number() });

/** The values of a dimension that changed most, and what is known about all others. */
export const moversResult = () =>
  z.object({
    dimension: z.string(),
    /** How far each count may be off, because visits arrived between the calls. */
    drift: count,
    cut_off: z.boolean(),
    /** A number that a limit or visits that arrived meanwhile make uncertain is null, never guessed. */
    movers: z.array(
      z.object({
        value: z.string().nullable(),
        label: z.string(),
        current: count.nullable(),
        previous: count.nullable(),
        change: change().nullable(),
        /** The averages, if the windows are compared by them. */
        per_day: perDay().optional(),
        /** The ranges, if a number is null. */
        bounds: z
          .object({
            current: bounds(),
            previous: bounds(),
            change: changeBounds().optional(),
            per_day: z
              .object({ current: rateBounds(), previous: rateBounds(), change: rateBounds() })
              .optional(),
          })
          .optional(),
      }),
    ),
    /** How many others may have changed, and by how many visitors at most: in all, or per day. */
    more: z.object({ count, most: count.optional(), most_per_day: z.number().optional() }),
  });

type Movers = z.output<ReturnType<typeof moversResult>>;
export type Mover = Movers["movers"][number];

export function viewMovers(
  group: Movers,
  isCompared: boolean,
  isPerDay: boolean,
  order: Order = "change",
): View {
  const { dimension, movers } = group;
  const first = order === "change" ? "" : `, ${order} first`;
  return {
    name: dimension,
    headline: `${dimension} that changed most${first}, by visitors${isPerDay ? " a day" : ""}`,
    beside: true,
    columns: [...nameColumns(dimension), ...(isPerDay ? averageColumns : changeColumns)],
    rows: movers.map(fillMover),
    // The totals say why nothing is compared.
    ...(isCompared ? describeMovers(group) : { notes: [] }),
  };
}

function fillMover({ value, label, current, previous, change, per_day, bounds }: Movers["movers"][number]) {
  const averages = bounds?.per_day;
  return {
    value,
    label,
    current: current ?? (bounds ? formatBounds(bounds.current) : null),
    previous: previous ?? (bounds ? formatBounds(bounds.previous) : null),
    change: change?.absolute ?? (bounds?.change ? formatChange(bounds.change) : null),
    percent: change?.percent ?? null,
    current_per_day: per_day?.current ?? (averages ? formatBounds(averages.current) : null),
    previous_per_day: per_day?.previous ?? (averages ? formatBounds(averages.previous) : null),
    change_per_day: per_day?.change ?? (averages ? formatChange(averages.change) : null),
    change_per_day_percent: per_day?.percent ?? null,
  };
}

const isCertain = ({ cut_off, drift: errorBound }: Movers) => !cut_off && errorBound === 0;

function describeMovers(group: Movers): { notes: Note[]; warnings: Note[] } {
  const { dimension, drift: errorBound, cut_off, movers, more } = group;
  const [are, verb] = isCertain(group)
    ? ["changed", "changed"]
    : ["are known to have changed", "may have changed"];
  return {
    notes: [
      ...(movers.length === 0 ? [`No ${dimension} ${are}.`] : []),
      ...(more.count > 0
        ? [forModels(note`${dimension}: ${more.count} more ${verb}, by at most ${formatMost(more)} each.`)]
        : []),
    ],
    warnings: [
      ...(errorBound > 0
        ? [
            note`Visits arrived while ${dimension} were read: each count may be off by ${errorBound}, and each change by ${2 * errorBound}.`,
          ]
        : []),
      ...(cut_off
        ? [`The service did not list all ${dimension}, so some counts are known only as a range.`]
        : []),
    ],
  };
}

const formatMost = ({ most, most_per_day: rate }: Movers["more"]) =>
  rate === undefined ? countUnits(most ?? 0, "visitor") : note`${countUnits(rate, "visitor")} a day`;

/** A range of one number is that number. */
const formatBounds = ({ least, most }: Bounds) => (least === most ? most : `${least}–${most}`);

/** "217–250 more", "6–8 fewer". Only certain changes are shown, so both ends have one sign. */
const formatChange = ({ least, most }: Bounds) =>
  least > 0 ? `${least}–${most} more` : `${-most}–${-least} fewer`;

/** For people, a single note about how much all lists leave out. */
export function noteRest(groups: readonly Movers[], order: Order = "change"): Note[] {
  const longer = groups.filter(({ more }) => more.count > 0);
  const [first] = longer;
  if (first === undefined) return [];
  const verb = longer.every(isCertain) ? "changed" : "may have changed";
  const counts = longer.map(
    ({ dimension, more }) => note`${more.count} ${nameValues(more.count, dimension)}`,
  );
  const list = counts.reduce((all, count, index) =>
    index === counts.length - 1 ? note`${all} and ${count}` : note`${all}, ${count}`,
  );
  return [
    forPeople(note`Not shown: ${list} that ${verb}${order === "change" ? " less" : ", too"}.`),
    ...(groups.length > 1
      ? [propose({ why: "To list more of them", name: "compare", params: { dimension: first.dimension } })]
      : []),
  ];
}
