import { execFile } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs, promisify } from "node:util";
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { installPackage } from "../test/support/package.js";
import { scrubbed } from "./environment.ts";
import { compareCases, describeMachine, type Times } from "./measure.ts";
import { startRegistry } from "./registry.ts";
import { publish, table } from "./results.ts";
import { measureList, measureRun } from "./starts.ts";
import { openStdio } from "./stdio.ts";

const CHAPTER = "## Beside others";
const OWN = "analytics-mcp";
const FLOOR = "node -e 0";
const CACHE = resolve(".cache", "peers");

/** Other servers that people start with npx, and what each needs to start; all keys are made up. */
const peers: Record<string, Needs> = {
  "@modelcontextprotocol/server-everything": {},
  "@modelcontextprotocol/server-filesystem": { args: [resolve("docs")] },
  "@modelcontextprotocol/server-github": {},
  "@upstash/context7-mcp": {},
  "@sentry/mcp-server": { env: { SENTRY_ACCESS_TOKEN: "made-up" } },
  "@playwright/mcp": {},
  "mcp-server-google-analytics": {
    env: { GOOGLE_CLIENT_EMAIL: "made@up.example", GOOGLE_PRIVATE_KEY: "made-up", GA_PROPERTY_ID: "1" },
  },
};

interface Needs {
  args?: string[];
  env?: Record<string, string>;
}

interface Server extends Needs {
  name: string;
  /** The folder it is installed in, alone. */
  folder: string;
  /** Environment for npx, such as its cache. */
  npx: Record<string, string>;
}

/** Compares this server with others from npm: what they install, what they list, and how long that takes. */
export async function run(args: string[]): Promise<number> {
  const { values } = parseArgs({
    args,
    options: {
      rounds: { type: "string", default: "10" },
      /** Only servers whose name contains this. */
      only: { type: "string", default: "" },
      trial: { type: "boolean", default: false },
    },
  });
  const { folder, tarball } = installPackage();
  const registry = await startRegistry(readManifest({ name: OWN, folder }), tarball);
  try {
    const npx = { npm_config_registry: registry.origin, npm_config_cache: join(folder, "npm") };
    const servers: Server[] = [{ name: OWN, folder, npx }];
    const missing: string[] = [];
    for (const name of Object.keys(peers).filter((each) => each.includes(values.only))) {
      const server = {
        name,
        folder: join(CACHE, name.replace("/", "+")),
        ...peers[name],
        npx: { npm_config_cache: join(CACHE, "npm") },
      };
      const fault = await prepare(server);
      if (fault === undefined) servers.push(server);
      else missing.push(`- ${name}: ${fault}`);
    }
    const section = [
      `### Node ${process.version.slice(1).split(".")[0]}`,
      `\`npm run bench -- peers\`, ${describeMachine()}, Node ${process.versions.node}; ${values.rounds} rounds, warm, medians.`,
      await compareServers(servers, Number(values.rounds)),
      ...(missing.length === 0 ? [] : [["Not measured:", "", ...missing].join("\n")]),
    ].join("\n\n");
    publish(CHAPTER, section, values);
  } finally {
    registry.close();
    rmSync(folder, { recursive: true, force: true });
  }
  return 0;
}

/** Installs the newest version of a server. Returns the reason if it cannot be measured. */
async function prepare(server: Server): Promise<string | undefined> {
  const { name, folder } = server;
  process.stderr.write(`Installing ${name}.\n`);
  try {
    mkdirSync(folder, { recursive: true });
    const options = ["--no-save", "--no-audit", "--no-fund", "--ignore-scripts", "--prefix", folder];
    await promisify(execFile)("npm", ["install", ...options, `${name}@latest`]);
  } catch {
    return "npm cannot install it.";
  }
  try {
    await (await openStdio(...findCommand(server), server.env)).close();
    return undefined;
  } catch (error) {
    const lines = (error instanceof Error ? error.message : `${error}`).split("\n");
    return `it does not start: ${lines.find((line) => line.startsWith("Error:")) ?? lines[0]}`;
  }
}

async function compareServers(servers: Server[], rounds: number): Promise<string> {
  const cases: Record<string, () => Promise<number>> = {
    [FLOOR]: () => measureRun(process.execPath, ["-e", "0"]),
  };
  for (const server of servers) {
    cases[server.name] = () => measureList(...findCommand(server), server.env);
    cases[`npx ${server.name}`] = await prepareNpx(server);
  }
  const times = await compareCases(cases, rounds);
  const median = (of: Times | undefined) => of?.at(0.5) ?? Number.NaN;
  const rows = servers.map(async (server) => {
    const { tools, close } = await openStdio(...findCommand(server), server.env);
    await close();
    const { packages, bytes } = readInstalled(server.folder);
    const own = median(times[server.name]);
    return [
      server.name,
      readManifest(server).version,
      packages,
      (bytes / 1e6).toFixed(1),
      tools.length,
      countTokens(JSON.stringify(tools)),
      own.toFixed(0),
      (own / median(times[FLOOR])).toFixed(1),
      median(times[`npx ${server.name}`]).toFixed(0),
    ];
  });
  const head = ["", "version", "packages", "MB", "tools", "tokens in their list"];
  return table([...head, "tools/list, ms", "of `node -e 0`", "by npx, ms"], await Promise.all(rows));
}

/** Fills npx's cache first, so that no network time is measured. */
async function prepareNpx({ name, folder, args = [], env, npx }: Server) {
  const fill = ["--yes", `--package=${name}`, "node", "-e", "0"];
  await promisify(execFile)("npx", fill, { cwd: tmpdir(), env: { ...scrubbed, ...npx } });
  const start = ["--yes", "--offline", `--package=${name}`, readManifest({ name, folder }).command, ...args];
  return () => measureList("npx", start, { ...npx, ...env });
}

/** The server started without npx. */
function findCommand(server: Server): [string, string[]] {
  const { path } = readManifest(server);
  return [process.execPath, [join(server.folder, "node_modules", server.name, path), ...(server.args ?? [])]];
}

interface PackageJson {
  version: string;
  bin: string | Record<string, string>;
}

/** Reads a package's version, command and the command's file. */
function readManifest({ name, folder }: Pick<Server, "name" | "folder">) {
  const manifest: PackageJson = JSON.parse(
    readFileSync(join(folder, "node_modules", name, "package.json"), "utf8"),
  );
  const commands = typeof manifest.bin === "string" ? { [name]: manifest.bin } : manifest.bin;
  const [[command, path] = ["", ""]] = Object.entries(commands);
  return { ...manifest, name, command, path };
}

/** Counts what npm installed into a folder. */
function readInstalled(folder: string) {
  const lock = JSON.parse(readFileSync(join(folder, "node_modules", ".package-lock.json"), "utf8"));
  const files = readdirSync(join(folder, "node_modules"), { recursive: true, withFileTypes: true });
  const sizes = files
    .filter((each) => each.isFile())
    .map((each) => statSync(join(each.parentPath, each.name)).size);
  return {
    packages: Object.keys(lock.packages).length,
    bytes: sizes.reduce((sum, size) => sum + size, 0),
  };
}
