import {
  copyFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { gunzipSync, gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { createHomeFolder } from "../../support/child-process.js";
import { spawnClient, type TestClient } from "../../support/clients.ts";
import { pick } from "../../support/seed.ts";
import { runShell } from "../../support/shell.ts";
import { BLOG, type Counts, countSent, MAIN, send, type Visit, writeScript } from "./scripted-visits.ts";
import { apache, caddy, nginx, type Program, startWebServer, type WebServer } from "./web-servers.ts";

interface Case {
  program: Program;
  /** The options that choose the logs, whose folder is given. */
  options(logs: string): string[];
  /** The files that grow, and that are rotated together. */
  files: string[];
  sites: string[];
  rotations: ((running: Running, files: string[]) => Promise<void>)[];
  isForwarded?: boolean;
  /** Whether the log says what was prefetched. */
  hasPurpose?: boolean;
}

/** nginx's documentation has this as an example (ngx_http_log_module, and the nginx.conf of its packages). */
const MAIN_FORMAT = `log_format main '$remote_addr - $remote_user [$time_local] "$request" $status $body_bytes_sent "$http_referer" "$http_user_agent" "$http_x_forwarded_for"';`;
const JSON_FORMAT = `log_format structured escape=json '{${[
  "time_iso8601",
  "remote_addr",
  "host",
  "request_method",
  "request_uri",
  "http_referer",
  "http_user_agent",
  "http_accept_language",
  "http_sec_purpose",
  "sent_http_content_type",
]
  .map((name) => `"${name}":"$${name}",`)
  .join("")}"status":$status}';`;

/** A format of one's own, as it stands in nginx.conf. */
const OWN_FORMAT = `log_format own '$time_iso8601|$remote_addr|$host|$request_method|$request_uri|$status|'
  '"$http_referer"|"$http_user_agent"';`;

/** A server under way, an MCP server that has been asked already, and all that was sent. */
interface Running {
  logs: string;
  visit(headers?: Record<string, string>): Promise<void>;
  /** Asks everything and compares with what was sent. */
  check(): Promise<void>;
  server: WebServer;
}

type Finish = (stop: () => Promise<void>) => void;

/** @param finish Takes what is to do at the end. */
async function run(
  { program, options, sites, isForwarded = false, hasPurpose }: Case,
  finish: Finish,
): Promise<Running> {
  const server = await startWebServer(program);
  finish(server.stop);
  const logs = join(server.folder, "logs");
  // Both programs keep what they read in the same index.
  const env = { HOME: createHomeFolder() };
  const words = [...options(logs), "--timezone", findNoon()];
  const sent: Visit[] = [];
  const counted: Visit["as"][] = hasPurpose ? ["page"] : ["page", "prefetch"];
  let [part, client]: [number, TestClient | undefined] = [0, undefined];
  const connect = async () => {
    const made = await spawnClient("v2 auto", process.execPath, ["bin/analytics-mcp.js", ...words], env);
    finish(made.close);
    return made;
  };
  return {
    logs,
    server,
    visit: async (headers = {}) => {
      const script = writeScript(part++);
      await send(script, { port: server.port, isForwarded, headers });
      sent.push(...script);
      // Apache writes a line after its answer.
      await waitFor(() => countLines(logs) === sent.length, "the log has all lines");
    },
    check: async () => {
      client ??= await connect();
      for (const site of sites) {
        const own = sites.length === 1 ? sent : sent.filter(({ host = MAIN }) => host === site);
        const expected = countSent(own, counted);
        // At the same time, so that they write the index against each other.
        const [tools, command] = await Promise.all([
          askTools(client, site),
          site === MAIN ? askCommand(words, env) : pickTotals(expected),
        ]);
        expect(tools, `the MCP server, about ${site}`).toEqual(expected);
        expect(command, "the command").toEqual(pickTotals(expected));
      }
    },
  };
}

/** A zone in which it is about noon, so that no midnight comes while the test runs. */
function findNoon(): string {
  const offset = 12 - new Date().getUTCHours();
  // The signs in these names are those of POSIX.
  return `Etc/GMT${offset > 0 ? "-" : "+"}${Math.abs(offset)}`;
}

async function waitFor(isSo: () => boolean, what: string): Promise<void> {
  for (const start = Date.now(); !isSo(); await sleep(20)) {
    if (Date.now() - start > 60_000) throw new Error(`After a minute it is still not so that ${what}.`);
  }
}

function countLines(logs: string): number {
  const read = (name: string) => {
    const bytes = readFileSync(join(logs, name));
    return (name.endsWith(".gz") ? gunzipSync(bytes) : bytes).toString().split("\n").length - 1;
  };
  try {
    return readdirSync(logs).reduce((sum, name) => sum + read(name), 0);
  } catch {
    // Caddy is compressing one.
    return -1;
  }
}

interface Row {
  value: string | null;
  visitors: number;
  pageviews: number;
  requests: number;
}

async function askTools(client: TestClient, site: string): Promise<Counts> {
  const ask = async (tool: string, args: object) => {
    const { structuredContent, isError, content } = await client.callTool(tool, { site, days: 1, ...args });
    if (isError) throw new Error(JSON.stringify(content));
    // The tools' schemas are tested elsewhere.
    return structuredContent as unknown as Counts & { rows: Row[] };
  };
  const [stats, pages, referrers, crawlers] = await Promise.all([
    ask("get_stats", {}),
    ask("get_breakdown", { dimension: "pages" }),
    ask("get_breakdown", { dimension: "referrers" }),
    ask("get_crawlers", {}),
  ]);
  const { visitors, pageviews, events } = stats;
  return {
    visitors,
    pageviews,
    events,
    pages: Object.fromEntries(pages.rows.map((row) => [String(row.value), row.pageviews])),
    google: referrers.rows.find(({ value }) => String(value).includes("google"))?.visitors ?? 0,
    crawlers: Object.fromEntries(crawlers.rows.map((row) => [String(row.value), row.requests])),
  };
}

const pickTotals = ({ visitors, pageviews, pages }: Counts) => ({ visitors, pageviews, pages });

/** In this process, which is another one than the MCP server's. */
async function askCommand(words: string[], environment: Record<string, string>) {
  const site = words.includes("--site") ? [] : [MAIN];
  const question = ["breakdown", ...site, "--dimension", "pages", "--days", "1", "--json"];
  const { stdout } = await runShell([...question, ...words], { environment, clock: Date.now });
  const { totals, rows }: { totals: Counts; rows: Row[] } = JSON.parse(stdout);
  return pickTotals({
    ...totals,
    pages: Object.fromEntries(rows.map(({ value, pageviews }) => [String(value), pageviews])),
  });
}

/** Renames the logs, has the server open new ones, and compresses the old ones, as logrotate does. */
async function rotate({ logs, server, visit, check }: Running, files: string[]): Promise<void> {
  for (const name of files) renameSync(join(logs, name), join(logs, `${name}.1`));
  // The server still writes to the renamed files.
  await visit();
  await check();
  server.reopen();
  await waitFor(() => files.every((name) => existsSync(join(logs, name))), "the logs are there again");
  await visit();
  await check();
  const packed = files.map((name) => ({
    name: join(logs, `${name}.1`),
    bytes: gzipSync(readFileSync(join(logs, `${name}.1`))),
  }));
  for (const { name, bytes } of packed)
    writeFileSync(`${name}.gz`, bytes.subarray(0, Math.floor(bytes.length / 2)));
  await check();
  for (const { name, bytes } of packed) {
    writeFileSync(`${name}.gz`, bytes);
    rmSync(name);
  }
  await check();
}

/** Copies the logs and empties them, for servers that cannot open them again. */
async function copyAndTruncate({ logs, visit, check }: Running, files: string[]): Promise<void> {
  for (const name of files) copyFileSync(join(logs, name), join(logs, `${name}.2`));
  await check();
  for (const name of files) truncateSync(join(logs, name));
  await check();
  await visit();
  await check();
}

/** Visits until the server has rotated and compressed its log itself. */
async function waitForRotation({ logs, visit, check }: Running): Promise<void> {
  // It logs all headers.
  const long = { "x-padding": "long ".repeat(5_000) };
  for (let part = 0; !readdirSync(logs).some((name) => name.endsWith(".gz")); part++) {
    if (part > 5) throw new Error("It does not rotate its log.");
    await visit(long);
    await check();
  }
  await visit();
  await check();
}

const cases: Record<string, Case> = {
  "nginx, combined, one file per site": {
    program: nginx((logs) => ({
      http: "",
      main: `access_log ${join(logs, "main.log")};`,
      blog: `access_log ${join(logs, "blog.log")};`,
    })),
    options: (logs) => ["--logs", `${MAIN}=${logs}/main.log*`, "--logs", `${BLOG}=${logs}/blog.log*`],
    files: ["main.log", "blog.log"],
    sites: [MAIN, BLOG],
    rotations: [rotate],
  },
  "nginx, main, behind a proxy": {
    program: nginx((logs) => ({
      http: `${MAIN_FORMAT} access_log ${join(logs, "access.log")} main;`,
      main: "",
      blog: "",
    })),
    options: (logs) => ["--logs", `${logs}/access.log*`, "--site", MAIN, "--trust-forwarded", "1"],
    files: ["access.log"],
    sites: [MAIN],
    rotations: [rotate],
    isForwarded: true,
  },
  "nginx, JSON": {
    program: nginx((logs) => ({
      http: `${JSON_FORMAT} access_log ${join(logs, "access.log")} structured;`,
      main: "",
      blog: "",
    })),
    options: (logs) => ["--logs", `${logs}/access.log*`],
    files: ["access.log"],
    sites: [MAIN, BLOG],
    rotations: [copyAndTruncate],
    hasPurpose: true,
  },
  "nginx, a format of one's own": {
    program: nginx((logs) => ({
      http: `${OWN_FORMAT} access_log ${join(logs, "access.log")} own;`,
      main: "",
      blog: "",
    })),
    options: (logs) => ["--logs", `${logs}/access.log*`, "--log-format", OWN_FORMAT],
    files: ["access.log"],
    sites: [MAIN, BLOG],
    rotations: [rotate],
  },
  "Apache, vhost_combined": {
    program: apache,
    options: (logs) => ["--logs", `${logs}/access.log*`],
    files: ["access.log"],
    sites: [MAIN, BLOG],
    rotations: [rotate],
  },
  "Caddy, JSON": {
    program: caddy,
    options: (logs) => ["--logs", `${logs}/access*`],
    // After it has rotated its log, it writes to fixed offsets, so that copytruncate leaves zeros.
    files: ["access.log"],
    sites: [MAIN, BLOG],
    rotations: [waitForRotation, copyAndTruncate],
    hasPurpose: true,
  },
};

describe("the access logs of real servers, asked while they are written and rotated", {
  concurrent: true,
}, () => {
  const all = Object.entries(cases);
  const isNginx = ([name]: (typeof all)[number]) => name.startsWith("nginx");
  for (const [name, setup] of [...pick(all.filter(isNginx), 1), ...all.filter((each) => !isNginx(each))]) {
    it.skipIf(setup.program.path === undefined)(name, async ({ onTestFinished }) => {
      const running = await run(setup, onTestFinished);
      await running.visit();
      await running.check();
      for (const step of setup.rotations) await step(running, setup.files);
    });
  }
});
