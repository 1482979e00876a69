import { expect, it } from "vitest";
import { connectInProcess } from "../support/clients.ts";

const ofPrompt = { type: "ref/prompt", name: "what_changed" };
const ofResource = { type: "ref/resource", uri: "analytics://sites/{site}/overview" };

it.each([
  [ofPrompt, "site", "shop", ["shop.example.net"]],
  [ofPrompt, "site", "SHOP", ["shop.example.net"]],
  [ofPrompt, "site", "nowhere", []],
  [ofPrompt, "dimension", "cou", ["countries"]],
  [ofPrompt, "period", "last_m", ["last_month"]],
  [ofPrompt, "period", "today", []],
  [{ type: "ref/prompt", name: "weekly_report" }, "period", "7", ["last_7_days"]],
  // Values that start with the text come before those that only contain it.
  [ofResource, "site", "example.c", ["example.com", "docs.example.com"]],
])("%j: %s %j", async (reference, argument, text, values) => {
  const client = await connectInProcess();
  expect(await client.complete(reference, argument, text)).toEqual(values);
  await client.close();
});

it("offers nothing if the service cannot be reached", async () => {
  const client = await connectInProcess({ key: "wrong" });
  expect(await client.complete(ofPrompt, "site", "")).toEqual([]);
  await client.close();
});
