import { OTHER } from "../../measure/definition.ts";
import type { Link } from "./failed-requests.ts";
import type { LimitedValues } from "./limits.ts";
import {
  ORIGIN_DIMENSIONS,
  type OriginValues,
  PROFILE_DIMENSIONS,
  type ProfileValues,
} from "./line-dimensions.ts";
import type { OpenDay } from "./open-day.ts";

/* Counts what a day adds for a sender towards its limits: a new value, and what a new row takes beside its values. */

const SPACES = { notFound: "not_found", serverErrors: "server_errors" } as const;

/** How a request failed, and where its paths are limited. */
export type Failed = keyof typeof SPACES;
export const spaceOf = (kind: Failed) => SPACES[kind];

/** A text by which rows of origins are known. */
export const keyOf = (row: OriginValues | ProfileValues): string => JSON.stringify(Object.values(row));

export function chargeOrigin(values: LimitedValues, row: OriginValues, sender: number): void {
  for (const dimension of ORIGIN_DIMENSIONS) {
    // There are some twenty channels, which nobody chooses.
    if (dimension !== "channels") values.add(dimension, row[dimension], sender);
  }
  values.charge("origins", "combination", keyOf(row), sender);
}

export function chargeProfile(values: LimitedValues, row: ProfileValues, sender: number): void {
  for (const dimension of PROFILE_DIMENSIONS) {
    const isChosen = dimension === "browsers" || dimension === "operating_systems";
    if (isChosen) values.add(dimension, row[dimension], sender);
  }
}

/** @param isKnown Whether its path is known. */
export function chargeLink(day: OpenDay, kind: Failed, link: Link, sender: number, isKnown: boolean): void {
  const { path, referrer } = link;
  if (!isKnown && path !== OTHER) day.values.charge(SPACES[kind], "value", path, sender);
  day.values.charge(SPACES[kind], "combination", referrer ?? "", sender);
}

/**
 * Charges what earlier processes have kept of a day, each row and page to the sender that it was added for, as they did. The rows
 * and pages must be there already.
 */
export function adoptValues(day: OpenDay): void {
  const { values, addedBy, origins, profiles } = day;
  values.adopt();
  const pages = values.of("pages");
  for (let number = 1; number < pages.size; number++) {
    const page = pages.at(number) ?? OTHER;
    if (page !== OTHER) values.charge("pages", "value", page, addedBy.pages.values[number - 1] ?? 0);
  }
  origins.list.forEach((row, at) => {
    chargeOrigin(values, row, addedBy.origins.values[at] ?? 0);
  });
  profiles.list.forEach((row, at) => {
    chargeProfile(values, row, addedBy.profiles.values[at] ?? 0);
  });
  for (const kind of ["notFound", "serverErrors"] as const) {
    const { links, link, sender } = day[kind];
    const isCharged = { link: new Uint8Array(links.size), path: new Uint8Array(links.paths.size) };
    // The first request for a link is of the sender that it was added for.
    for (let row = 0; row < link.length; row++) {
      const number = link.values[row] ?? 0;
      if (isCharged.link[number] === 1) continue;
      const path = links.pathOf(number);
      chargeLink(day, kind, links.at(number), sender.values[row] ?? 0, isCharged.path[path] === 1);
      isCharged.link[number] = 1;
      isCharged.path[path] = 1;
    }
  }
}
