import { afterAll, expect, it } from "vitest";
import { buildLlmsTxt } from "../../src/documents/llms.ts";
import { queries } from "../../src/reports/queries.ts";
import { createTestApi } from "../support/api.ts";
import { connectInProcess } from "../support/clients.ts";

const client = await connectInProcess();
afterAll(() => client.close());

const read = async (uri: string) => (await client.readResource(uri)).contents[0]?.text ?? "";

it("the sites and the API description are the service's own", async () => {
  const { ask } = createTestApi();
  expect(JSON.parse(await read("analytics://sites"))).toEqual((await ask("/api/v1/sites")).body);
  expect(JSON.parse(await read("analytics://openapi")).openapi).toBe("3.1.1");
});

it("llms.txt is the published one", async () => {
  expect(await read("analytics://llms.txt")).toBe(buildLlmsTxt(queries));
});

it.each(["example.com", "site_7f3k", "%65xample.com"])("the overview of %s is of 28 days", async (site) => {
  expect(JSON.parse(await read(`analytics://sites/${site}/overview`))).toMatchObject({
    site: { domain: "example.com" },
    period: { days: 28 },
  });
});

it.each(["analytics://nothing", "analytics://sites/nope.example/overview"])(
  "%s does not exist",
  async (uri) => {
    await expect(client.readResource(uri)).rejects.toMatchObject({ code: -32602 });
  },
);

it("a failure shows no internal details", async () => {
  const broken = await connectInProcess({
    fetch: () => {
      throw new RangeError("an internal secret");
    },
  });
  const error = await broken.readResource("analytics://sites").catch((thrown) => thrown);
  expect(error.message).toContain("cannot be reached");
  expect(error.message).not.toContain("secret");
  await broken.close();
});
