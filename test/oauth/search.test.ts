import { randomBytes } from "node:crypto";
import { expect, it } from "vitest";
import { searchFor } from "../support/search.ts";

const SECRET = `${randomBytes(32).toString("base64url")}`;
const KEY = "a key/of+anyone";

it.each<[string, string | Buffer]>([
  ["as it is", SECRET],
  ["in base64, at any place", Buffer.from(SECRET).toString("base64")],
  ["in base64, after one letter", Buffer.from(`x${SECRET}y`).toString("base64")],
  ["in base64 of addresses, after two", Buffer.from(`id:${SECRET}`).toString("base64url")],
  ["in hexadecimal", Buffer.from(SECRET).toString("hex").toUpperCase()],
  ["as the bytes that it stands for", Buffer.from(SECRET, "base64url")],
  ["in a query", new URLSearchParams({ SECRET }).toString()],
])("the search for secrets finds one %s", (_, place) => {
  const around = Buffer.concat([randomBytes(1000), Buffer.from(place), randomBytes(1000)]);
  expect(searchFor([SECRET], [around])).toEqual([SECRET]);
  expect(searchFor([KEY, randomBytes(32).toString("base64url")], [around])).toEqual([]);
});

it("the search for secrets finds one that is percent-encoded", () => {
  expect(searchFor([KEY], [`?key=${encodeURIComponent(KEY)}`])).toEqual([KEY]);
});
