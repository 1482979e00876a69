import { readFileSync } from "node:fs";

/**
 * What has to be true before a tag is published, by what GitHub Actions says of it: the package has the tag's version,
 * the changelog has its section, and the addresses that npm and the MCP registry prove are those of this repository.
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
    : [`package.json has ${name} ${found}, and not ${wanted}: npm pkg set ${name}=${wanted}`],
);
const section = `## [${version}] - `;
if (!readFileSync("CHANGELOG.md", "utf8").includes(`\n${section}`)) {
  wrong.push(`CHANGELOG.md has no section that begins with ${section}and a date.`);
}
if (wrong.length > 0) {
  process.stderr.write(`${wrong.join("\n")}\nThen: npm run manifests\n`);
  process.exitCode = 1;
}
