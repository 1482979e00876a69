import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { createSmallService } from "./small-service.ts";

const page = readFileSync("docs/your-service.md", "utf8");
const answers = new Map(
  [...page.matchAll(/^GET (\/\w+)(?:\?\S*)?\n(\{.*\})$/gm)].map(([, path = "", body = ""]) => [
    path,
    JSON.parse(body),
  ]),
);
const [, description = ""] = /```json\n(\{\n {2}"openapi"[\s\S]*?)```/.exec(page) ?? [];

describe("the service that the documentation shows", () => {
  const open = () =>
    createSmallService({
      ...Object.fromEntries([...answers].map(([path, body]) => [path, () => body])),
      "/openapi.json": () => JSON.parse(description),
    });

  it("is read as a whole, with the days of its breakdowns", async () => {
    expect([...answers.keys()]).toEqual(["/sites", "/stats", "/timeseries", "/breakdown", "/realtime"]);
    const { ask, asked } = open();
    const of = { site: "example.com", days: 2 };
    expect(await ask("stats", of)).toMatchObject({ visitors: 20, pageviews: 50, events: 3 });
    const rows = await ask("breakdown", { ...of, dimension: "pages" });
    expect(rows).toMatchObject({
      period: { days: 2 },
      rows: [{ value: "/", visitors: 15 }, { pageviews: 10 }],
    });
    expect(asked).toContain("/breakdown?site=7&limit=10&days=2&dimension=pages");
    expect(await ask("realtime", { site: "example.com" })).toMatchObject({ visitors: 3 });
  });
});
