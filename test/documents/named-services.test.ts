import { readdirSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { findHostedAddress } from "../../src/config/services.ts";
import { schemas } from "../../src/sources/clickhouse/schemas.ts";
import { gatewayKinds } from "../../src/sources/gateways/gateway-kinds.ts";

const titles = (kinds: typeof gatewayKinds) => kinds.map(({ title }) => title);
const tables = Object.values(schemas);
const services = (some: typeof tables) => some.map(({ service }) => service);

/** What a sentence about several services can be about. */
const lists: readonly string[][] = [
  titles(gatewayKinds),
  titles(gatewayKinds.filter(({ name }) => findHostedAddress(name) !== undefined)),
  services(tables),
  services(tables.filter(({ view }) => view !== undefined)),
].map((list) => list.sort());

const names = [...new Set(lists.flat())];

const pages = ["docs", "src"]
  .flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: "utf8" }).map((name) => `${folder}/${name}`),
  )
  .filter((path) => /\.(?:md|ts|json)$/.test(path))
  .concat("README.md", "llms.txt");

/** The sentences of a page, on whatever lines they are. A row of a table and an item of a list are on their own. */
const listSentences = (text: string) =>
  text.split(/\n\s*\n|\n(?=[|#-])/).flatMap((part) => part.replaceAll(/\s+/g, " ").split(/(?<=[.:]) /));

it("a sentence that names several services leaves none out", () => {
  const incomplete = pages.flatMap((path) =>
    listSentences(readFileSync(path, "utf8")).flatMap((sentence) => {
      const named = names.filter((name) => sentence.includes(name)).sort();
      const isWhole = lists.some((list) => list.join() === named.join());
      return named.length < 2 || isWhole ? [] : [{ path, sentence, named }];
    }),
  );
  expect(incomplete).toEqual([]);
});
