import { appendFileSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { spawnSync } from "../../../support/child-process.js";
import { otherNodes } from "../../../support/other-nodes.ts";
import { runShell } from "../../../support/shell.ts";
import { combinedLine } from "../log-place.ts";

const folder = mkdtempSync(join(tmpdir(), "nodes-"));
afterAll(() => rmSync(folder, { recursive: true }));

const logs = join(folder, "logs");
const environment = { XDG_STATE_HOME: join(folder, "state") };
const nodes = [process.execPath, ...otherNodes];

/** About the page views and visitors of days that ended long ago. */
const QUESTION = [
  ...["breakdown", "--dimension", "pages", "--limit", "100", "--csv", "--period", "2026-10-01/2026-10-20"],
  ...["--logs", join(logs, "access.log*"), "--site", "example.com", "--timezone", "UTC"],
];

/** Of this version, in this process. */
const askHere = async () => (await runShell(QUESTION, { clock: Date.now, environment })).stdout;

async function ask(node: string): Promise<string> {
  if (node === process.execPath) return askHere();
  const { status, stdout, stderr } = spawnSync(node, ["bin/analytics-mcp.js", ...QUESTION], {
    encoding: "utf8",
    env: environment,
  });
  expect(stderr, node).not.toContain("are not kept");
  expect(status, stderr).toBe(0);
  return stdout;
}

const write = (name: string, day: number) => {
  const lines = Array.from({ length: 300 }, (_, index) =>
    combinedLine({
      at: Date.UTC(2026, 9, day, 1) + 60_000 * index,
      address: `198.51.100.${index % 50}`,
      path: `/page/${(index * day) % 17}`,
    }),
  );
  appendFileSync(join(logs, name), `${lines.join("\n")}\n`);
};

describe.skipIf(nodes.length === 1)("one history for all versions of Node", () => {
  it("is read and continued by each of them", async () => {
    mkdirSync(logs);
    let day = 1;
    for (const [index, node] of [...nodes, process.execPath].entries()) {
      // The first half of a day, and then the rest beside the next one.
      write(`access.log.${day}`, day);
      write(`access.log.${day}`, ++day);
      const next = nodes[(index + 1) % nodes.length] ?? node;
      const anew = (await runShell(QUESTION, { clock: Date.now })).stdout;
      expect([node, await ask(node), await ask(next)]).toEqual([node, anew, anew]);
    }
    const whole = await askHere();
    for (let gone = 1; gone < day; gone++) rmSync(join(logs, `access.log.${gone}`));
    write("access.log", 21);
    for (const node of nodes) expect(await ask(node)).toBe(whole);
  });
});
