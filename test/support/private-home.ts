import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, expect } from "vitest";
import { homes } from "./child-process.js";

/**
 * Runs before each test file and stands for the machine of somebody who uses analytics-mcp: they have a profile, client
 * files and variables of their own, all of them useless to a test. A test that reads them fails here, and not only on that
 * machine; one that writes there fails at the end of its file. Programs that tests start have other homes
 * (child-process.js). What the file's tests put into `tmpdir()` is removed after them.
 */
const home = join(homes, "of-whoever-runs-the-tests");
const DEAD = "http://127.0.0.1:9/api/v1";
const files: Record<string, string> = {
  ".config/analytics-mcp/profiles/default.json": JSON.stringify({ baseUrl: DEAD, apiKey: "private-key" }),
  ".config/analytics-mcp/profiles/acme.json": "damaged",
  ".local/state/analytics-mcp/secret": "damaged",
  ".cursor/mcp.json": "damaged",
  ".codex/config.toml": "damaged",
  ".gitconfig": "damaged",
  ".npmrc": "registry=http://127.0.0.1:9/\noffline=true\nignore-scripts=damaged\n",
};
for (const [name, text] of Object.entries(files)) {
  const file = join(home, name);
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  writeFileSync(file, text, { mode: 0o600 });
}

// npm tells the programs that it starts where packages for all programs are.
delete process.env.npm_config_prefix;
delete process.env.NPM_CONFIG_PREFIX;

// Not in TMPDIR, which is that of the file before if all of its tests were skipped: then no hook puts it back.
const { TEST_FOLDER = tmpdir() } = process.env;
const temporary = mkdtempSync(join(TEST_FOLDER, "test-"));
// Web servers give up their rights and read files there.
chmodSync(temporary, 0o711);

Object.assign(process.env, {
  TMPDIR: temporary,
  HOME: home,
  USERPROFILE: home,
  XDG_CONFIG_HOME: join(home, ".config"),
  XDG_STATE_HOME: join(home, ".local/state"),
  XDG_DATA_HOME: join(home, ".local/share"),
  XDG_CACHE_HOME: join(home, ".cache"),
  ANALYTICS_BASE_URL: DEAD,
  ANALYTICS_API_KEY: "private-key",
});

afterAll(() => {
  const found = readdirSync(home, { recursive: true, encoding: "utf8" });
  const written = found.filter((name) => statSync(join(home, name)).isFile() && !(name in files));
  process.env.TMPDIR = TEST_FOLDER;
  for (const folder of [temporary, homes]) rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  expect(written, "files that a test wrote to the developer's home").toEqual([]);
});
