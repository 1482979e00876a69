import { describe, expect, it } from "vitest";
import { DEMO_KEY } from "../support/api.ts";
import { spawnSync } from "../support/child-process.js";
import { installed } from "../support/installed-package.ts";

describe("the installed command", () => {
  const { bin } = installed;
  const start = (command: string) =>
    spawnSync("sh", ["-c", command.replaceAll("analytics-mcp", bin)], { encoding: "utf8" });

  it("writes all of a long answer to a pipe", () => {
    const { stdout, status } = start("analytics-mcp openapi --demo --json | cat");
    expect([status, Object.keys(JSON.parse(stdout).paths).length]).toEqual([0, 8]);
  });

  it("ends quietly when its reader leaves", () => {
    const { stdout, stderr } = start("analytics-mcp openapi --demo --json | head -1");
    expect([stdout, stderr]).toEqual(["{\n", ""]);
  });

  it("serves the reference API until it is stopped", () => {
    const script = `analytics-mcp reference --port 0 2>log.txt & pid=$!
      for i in $(seq 600); do grep -q Try log.txt && break; sleep 0.1; done
      url=$(sed -n 's/^Reference API at \\([^ ]*\\) .*/\\1/p' log.txt)
      ANALYTICS_API_KEY=${DEMO_KEY} ANALYTICS_BASE_URL=$url analytics-mcp stats --site example.com --days 7 --json
      kill -TERM $pid; wait $pid; echo "exit $?"`;
    const { stdout } = spawnSync("sh", ["-c", script.replaceAll("analytics-mcp", bin)], {
      encoding: "utf8",
      cwd: installed.folder,
    });
    const [, json = "", exit] = /^([\s\S]*\n)(exit \d+)\n$/.exec(stdout) ?? [];
    expect(exit).toBe("exit 0");
    expect(JSON.parse(json).period.days).toBe(7);
  });

  it("says which port is taken", () => {
    const { stderr, status } = start(
      `node -e 'require("net").createServer().listen(0, "127.0.0.1", function () { const { port } = this.address(); const run = require("child_process").spawnSync(process.argv[1], ["reference", "--port", port], { encoding: "utf8" }); process.stderr.write(run.stderr); process.exit(run.status); })' analytics-mcp`,
    );
    expect([status, stderr]).toEqual([2, expect.stringContaining("another program listens there")]);
  });
});
