import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { execFileSync, spawnSync } from "./support/child-process.js";
import { checks, newerNode } from "./support/tools.ts";

/** What a tool prints, and how it ends; `{ status: 0 }` where it finds nothing. */
function run(node: string | undefined, tool: string | undefined, args: string[]) {
  const { status, stdout, stderr } = spawnSync(node ?? "", [tool ?? "", ...args], {
    encoding: "utf8",
    env: { NO_COLOR: "1" },
  });
  return { status, output: stdout + stderr };
}

const tracked = () => execFileSync("git", ["ls-files", "-z"], { encoding: "utf8" }).split("\0").slice(0, -1);

describe.skipIf(!checks.knip)("files, exports and packages", () => {
  it("are all used, and declared where they are", () => {
    const args = ["--config", ".ci/knip.json", "--treat-config-hints-as-errors"];
    expect(run(process.execPath, checks.knip, args)).toEqual({ status: 0, output: "" });
  });
});

describe.skipIf(!checks.secretlint)("secrets", () => {
  const scan = (files: string[]) =>
    run(newerNode, checks.secretlint, ["--secretlintrc", ".ci/secretlint.json", "--no-glob", ...files]);

  it("stand in no file of the repository", () => {
    expect(scan(tracked())).toEqual({ status: 0, output: "" });
  });

  it("would be found", () => {
    const folder = mkdtempSync(join(tmpdir(), "secret-"));
    // Put together here, so that this file holds none.
    const token = ["ghp", "wWPw5k4aXcaT4fNP0UcnZwJUVFk6LO0pINUx"].join("_");
    writeFileSync(join(folder, "leak.ts"), `const token = "${token}";\n`);
    expect(scan([join(folder, "leak.ts")])).toMatchObject({ status: 1 });
    rmSync(folder, { recursive: true });
  });
});

describe("the workflows", () => {
  const workflows = readdirSync(".github/workflows").map((file) => join(".github/workflows", file));

  it.skipIf(!checks.actionlint)("pass actionlint", () => {
    const { status, output } = run(process.execPath, checks.actionlint, [".github/workflows/*.yml"]);
    expect(output).toContain(`Checking ${workflows.length} workflow file(s)`);
    expect([status, output]).toEqual([0, expect.stringContaining("passed")]);
  });

  it.each(workflows)("%s runs actions by their commits, and gives no job more than it needs", (file) => {
    const workflow: Workflow = parse(readFileSync(file, "utf8"));
    const jobs = Object.values(workflow.jobs);
    const actions = jobs.flatMap(({ steps }) => steps.flatMap(({ uses }) => uses ?? []));
    expect(actions.length).toBeGreaterThan(0);
    expect(actions.filter((action) => !/^[\w-]+\/[\w-]+@[0-9a-f]{40}$/.test(action))).toEqual([]);
    for (const job of jobs) {
      const permissions = Object.entries(job.permissions ?? workflow.permissions);
      const writes = permissions.filter(([, level]) => level !== "read").map(([name]) => name);
      // Who may write runs nothing of this repository, and nothing that a package brings.
      const runs = job.steps.map((step) => step.run ?? "").join("\n");
      if (writes.length > 0) expect(runs).not.toMatch(/\bnpm (ci|install|run|test|exec)\b|\bnpx\b|\.ci\//);
      expect(writes.length).toBeLessThanOrEqual(1);
    }
  });

  it("publish to npm by trusted publishing, with provenance", () => {
    const { jobs }: Workflow = parse(readFileSync(".github/workflows/release.yml", "utf8"));
    expect(jobs.npm?.permissions).toEqual({ "id-token": "write" });
    const publish = jobs.npm?.steps
      .map(({ run: line }) => line ?? "")
      .find((line) => line.startsWith("npm publish"));
    expect(publish).toMatch(/ --provenance --access public$/);
    expect(readFileSync(".github/workflows/release.yml", "utf8")).not.toMatch(/secrets\.|NODE_AUTH_TOKEN/);
  });
});

interface Workflow {
  permissions: Record<string, string>;
  jobs: Record<string, { permissions?: Record<string, string>; steps: { uses?: string; run?: string }[] }>;
}

describe("a release", () => {
  const check = (tag: string) => {
    const folder = mkdtempSync(join(tmpdir(), "release-"));
    writeFileSync(join(folder, "CHANGELOG.md"), "# Changelog\n\n## [1.2.3] - 2026-11-21\n");
    const repository = { type: "git", url: "git+https://github.com/acme/analytics.git" };
    const manifest = {
      type: "module",
      version: "1.2.3",
      mcpName: "io.github.acme/analytics-mcp",
      repository,
    };
    writeFileSync(join(folder, "package.json"), JSON.stringify(manifest));
    const github = { GITHUB_SERVER_URL: "https://github.com", GITHUB_REPOSITORY: "acme/analytics" };
    const { status, stderr } = spawnSync(process.execPath, [resolve(".ci/release.js")], {
      cwd: folder,
      encoding: "utf8",
      env: { ...github, GITHUB_REF_NAME: tag },
    });
    rmSync(folder, { recursive: true });
    return { status, stderr };
  };

  it("is made of what package.json and the changelog name", () => {
    expect(check("v1.2.3")).toEqual({ status: 0, stderr: "" });
  });

  it("is refused under another version", () => {
    expect(check("v1.2.4")).toMatchObject({
      status: 1,
      stderr: expect.stringContaining("version is 1.2.3, not 1.2.4"),
    });
  });

  it("is refused in another repository than package.json names: npm would refuse its provenance", () => {
    const github = { GITHUB_SERVER_URL: "https://github.com", GITHUB_REPOSITORY: "acme/analytics" };
    const { stderr } = spawnSync(process.execPath, [".ci/release.js"], { encoding: "utf8", env: github });
    expect(stderr).toContain("repository.url");
  });
});

describe.skipIf(!checks.composeFile)("the compose files", () => {
  const lint = (texts: string[]) => {
    const folder = mkdtempSync(join(tmpdir(), "compose-"));
    const files = texts.map((_, index) => join(folder, `${index}.yaml`));
    for (const [index, text] of texts.entries()) writeFileSync(files[index] ?? "", text);
    const result = run(process.execPath, checks.composeFile, ["--quiet", ...files]);
    rmSync(folder, { recursive: true });
    return result;
  };

  it("keep the specification", () => {
    const files = ["deploy/compose.yaml", "deploy/compose.logs.yaml", "deploy/clickhouse/compose.yaml"];
    const texts = files.map((file) => readFileSync(file, "utf8"));
    expect(lint(texts)).toMatchObject({ status: 0 });
    const { status, output } = lint(texts.map((text) => text.replace("    restart:", "    restrt:")));
    expect([status, output.match(/ComposeValidationError/g)?.length]).toEqual([1, files.length]);
  });
});

describe.skipIf(!checks.containerFile)("the container file", () => {
  const lint = async (text: string) => {
    const { validate }: { validate(text: string, settings: object): { message: string }[] } = (
      await import(checks.containerFile ?? "")
    ).default;
    return validate(text, {}).map(({ message }) => message);
  };
  const file = readFileSync("deploy/Containerfile", "utf8");

  it("has no fault", async () => {
    expect(await lint(file)).toEqual([]);
    expect(await lint(file.replace("STOPSIGNAL SIGTERM", "STOPSIGNAL"))).not.toEqual([]);
  });

  it("runs the command as an unprivileged user at the end", () => {
    const [, last = ""] = file.split(/^FROM .*$/m).slice(-2);
    expect([...last.matchAll(/^USER (.+)$/gm)].map(([, user]) => user)).toEqual(["node"]);
    expect(last).toContain('ENTRYPOINT ["analytics-mcp"]');
  });
});
