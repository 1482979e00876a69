import { breakdown, operations } from "../operations/index.ts";
import { compare } from "./compare.ts";
import { conversions } from "./conversions.ts";
import { queryOf } from "./operation-query.ts";
import { overview } from "./overview.ts";
import type { Query } from "./query.ts";
import { series } from "./series.ts";
import { siteList } from "./site-list.ts";

/** What people and assistants ask in place of the operation of that name. */
const extended: readonly Query[] = [siteList, series, queryOf(breakdown, { asksOfFirst: true })];

export const queries: readonly Query[] = [
  ...operations.map(
    (operation) => extended.find(({ name }) => name === operation.name) ?? queryOf(operation),
  ),
  overview,
  compare,
  conversions,
];

/** Returns the query of that name. Throws TypeError if there is none. */
export function findQuery(name: string): Query {
  const query = queries.find((known) => known.name === name);
  if (query === undefined) throw new TypeError(`There is no query ${name}.`);
  return query;
}
