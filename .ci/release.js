import { readFileSync } from "node:fs";

/**
 * Checks a tag before it is published, in GitHub Actions: the package has the tag's version, the changelog has its
 * section, and the addresses that npm and the MCP registry verify are those of this repository.
 */
const {
  GITHUB_REF_NAME: tag = "",
  GITHUB_SERVER_URL: host = "",
  GITHUB_REPOSITORY: repository = "",
} = process.env;
const { version, mcpName, repository: stated } = JSON.parse(readFileSync("package.json", "utf8"));
const [owner = ""] = repository.split("/");

/** @type {[string, unknown, string][]} */
const expected = [
  ["version", version, tag.replace(/^v/, "")],
  ["repository.url", stated?.url, `git+${host}/${repository}.git`],
  ["mcpName", mcpName, `io.github.${owner}/analytics-mcp`],
];
const wrong = expected.flatMap(([name, found, wanted]) =>
  found === wanted
    ? []
    : [`package.json: ${name} is ${found}, not ${wanted}. Fix: npm pkg set ${name}=${wanted}`],
);
const section = `## [${version}] - `;
if (!readFileSync("CHANGELOG.md", "utf8").includes(`\n${section}`)) {
  wrong.push(`CHANGELOG.md has no section that starts with "${section}" and a date.`);
}
if (wrong.length > 0) {
  process.stderr.write(`${wrong.join("\n")}\nThen: npm run manifests\n`);
  process.exitCode = 1;
}
