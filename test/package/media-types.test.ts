import { readdirSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { MIME_TYPES, pickTypes } from "../../.ci/build/packages.ts";

type Types = Record<string, { extensions?: string[]; charset?: string }>;

const LIBRARIES = ["node_modules/oidc-provider/lib", "node_modules/koa/lib"];
/** Where a library names a type, or a file's ending that stands for one. */
const NAMING = /\.(?:type = |accepts\(|is\()(.*)/g;
const COMMENT = /^\s*(?:\*|\/\/)/;

/** Types by name, and endings, that a library hands to Koa. */
function listNamed(library: string): string[] {
  const files = readdirSync(library, { recursive: true, encoding: "utf8" }).filter((file) =>
    file.endsWith(".js"),
  );
  const lines = files.flatMap((file) => readFileSync(`${library}/${file}`, "utf8").split("\n"));
  return lines
    .filter((line) => !COMMENT.test(line))
    .flatMap((line) => [...line.matchAll(NAMING)].flatMap(([, rest = ""]) => rest.match(/'[^'\s]+'/g) ?? []))
    .map((quoted) => quoted.slice(1, -1));
}

it("the package knows each media type that its libraries name", () => {
  const all: Types = JSON.parse(readFileSync("node_modules/mime-db/db.json", "utf8"));
  const known = pickTypes(all) as Types;
  expect(Object.keys(known).filter((type) => known[type] === undefined)).toEqual([]);
  const named = [...new Set(LIBRARIES.flatMap(listNamed))];
  expect(named).toEqual(expect.arrayContaining(["html", "json", "text", "bin"]));
  const meant = named.flatMap((name) =>
    name.includes("/")
      ? all[name] === undefined
        ? []
        : [name]
      : Object.keys(all).filter((type) => all[type]?.extensions?.includes(name)),
  );
  expect(meant.filter((type) => !MIME_TYPES.includes(type))).toEqual([]);
});
