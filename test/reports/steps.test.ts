import { describe, expect, it } from "vitest";
import { openDemoSource } from "../../src/sources/demo/organizations.ts";
import { createLocalCall } from "../../src/sources/local-call.ts";
import { NOW } from "../support/api.ts";
import { connectInProcess, textOf } from "../support/clients.ts";
import { runShell } from "../support/shell.ts";

const shell = (line: string) =>
  runShell(`conversions example.com --demo ${line}`.split(" "), {
    environment: { NO_COLOR: "1", TZ: "UTC" },
    clock: () => NOW,
  });

describe("conversions --step", () => {
  it("shows the visits of each step, of all and of the step before, as the tool does", async () => {
    const line = "--step pages=/ --step page=/plans --step page=/*";
    const { stdout, code } = await shell(`${line} --json`);
    expect(code).toBe(0);
    const { visits, steps, converted, conversion_rate, ...rest } = JSON.parse(stdout);
    const counts = steps.map((step: { visits: number }) => step.visits);
    const percent = (part: number, whole: number) => Math.round((1000 * part) / whole) / 10;
    expect(counts[2]).toBeGreaterThan(0);
    expect(steps).toEqual(
      ["pages=/", "pages=/plans", "pages=/*"].map((step, index) => ({
        step,
        visits: counts[index],
        percentage: percent(counts[index], visits),
        percentage_of_previous: percent(counts[index], counts[index - 1] ?? visits),
      })),
    );
    expect([converted, conversion_rate]).toEqual([counts[2], percent(counts[2], visits)]);
    expect(rest).not.toHaveProperty("goal");
    const call = createLocalCall(
      () => openDemoSource({ clock: () => NOW }),
      () => NOW,
    );
    const client = await connectInProcess({ demo: true, call });
    const asked = { site: "example.com", steps: ["pages=/", "page=/plans", "page=/*"] };
    const result = await client.callTool("get_conversions", asked);
    await client.close();
    const { receipt, ...answer } = result.structuredContent as { receipt: { command: string } };
    expect(answer).toEqual(JSON.parse(stdout));
    expect(textOf(result)).toContain(`\npages=/plans\t${counts[1]}\t`);
    const [, ...words] = receipt.command.replaceAll("'", "").split(" ");
    const again = await runShell([...words, "--json"], { environment: { TZ: "UTC" }, clock: () => NOW });
    expect(JSON.parse(again.stdout)).toEqual(answer);
  });

  it("counts all visits of a summary, also of those that a filter keeps", async () => {
    for (const filter of ["", "--filter country=DE"]) {
      const { stdout } = await shell(
        `--step pages=/ --step pages=/plans ${filter} --json`.replace("  ", " "),
      );
      const stats = await runShell(
        `stats example.com --demo ${filter} --json`.replace("  ", " ").split(" "),
        {
          environment: { TZ: "UTC" },
          clock: () => NOW,
        },
      );
      expect(JSON.parse(stdout).visits).toBe(JSON.parse(stats.stdout).visits);
    }
  });

  it("says which step no visit has at all", async () => {
    const { stdout, stderr } = await shell("--step pages=/ --step pages=/thankz --output tsv");
    expect(stdout).toMatch(/\npages=\/thankz\t0\t0\t0/);
    expect(stderr).toContain("No visit of these days has pages=/thankz.");
  });

  it.each([
    ["--step pages=/", "--step needs 2 to 10 pages or events in order"],
    ["--step pages=/ --step countries=DE", "--step must be an event, a page or a hostname"],
    ["--goal thanks", "write events=thanks if that is an event, pages=/thanks if it is a page"],
    ["--step pages=/ --step hostnames=example.com", "--step must be pages or events, not"],
    ["--step pages=/ --step pages!=/x", "--step must say what is reached, with ="],
    ["--step pages=/ --step pages=/a --by channels", "--by cannot be combined with steps"],
    ["--step pages=/ --step pages=/a --goal events=signup", "--goal cannot be combined with steps"],
    ["--step pages=/ --step pages=/a --filter pages=/b", "with steps, it chooses whole visits"],
    ["", "--goal is missing"],
  ])("%s is refused by name", async (line, message) => {
    const { code, stderr } = await shell(line.trim() || "--days 7");
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
  });

  it("takes a page as its path alone, in filters too", async () => {
    const ask = async (filter: string) =>
      (await shell(`--step / --step /thanks --filter ${filter} --json`)).stdout;
    expect(await ask("visit:/pricing")).toBe(await ask("visit:pages=/pricing"));
    expect(await ask("visit:/pricing")).toContain('"visit:pages=/pricing"');
  });

  it("is refused by name where a service answers", async () => {
    const client = await connectInProcess();
    const steps = ["pages=/", "pages=/plans"];
    const result = await client.callTool("get_conversions", { site: "example.com", steps });
    await client.close();
    expect([result.isError, textOf(result)]).toEqual([true, expect.stringContaining("steps cannot be used")]);
  });
});
