import { once } from "node:events";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { execFile, spawn } from "../../test/support/child-process.js";
import { hasChdb, type SqlServer, startChdb } from "../../test/support/clickhouse.ts";
import { type Database, findPostgres, retry, type Stop, startPostgres } from "./postgres.ts";

const NEEDS = `Needed are Debian's package postgresql, chDB (bash .ci/tools), the free port 3001, and a folder with the code of Rybbit,
named by RYBBIT_FOLDER:

  git clone https://github.com/rybbit-io/rybbit && cd rybbit
  (cd shared && npm install && npx tsc)
  (cd server && npm install && npx tsc)
`;

/** Rybbit's server always listens there. */
const URL_OF_SERVER = "http://127.0.0.1:3001";

interface RybbitOptions {
  /** The site with the number 1. */
  domain: string;
  /** Where addresses are: a database in MaxMind's format. */
  geoip: Buffer;
  /** Where its clock starts. */
  now: number;
}

export interface RybbitServer {
  url: string;
  clickhouse: SqlServer;
  /** Moves its clock. */
  setClock(now: number): Promise<void>;
  stop(): Promise<void>;
}

/** Starts Rybbit on empty databases of its own. What is missing is an error that says where to get it. */
export async function startRybbit({ domain, geoip, now }: RybbitOptions): Promise<RybbitServer> {
  const code = process.env.RYBBIT_FOLDER;
  const programs = findPostgres();
  if (code === undefined || programs === undefined || !hasChdb) throw new Error(NEEDS);
  const program = resolve(code, "server/dist/index.js");
  if (!existsSync(program)) throw new Error(NEEDS);
  const folder = mkdtempSync(join(tmpdir(), "rybbit-"));
  const stops: Stop[] = [async () => rmSync(folder, { recursive: true, force: true })];
  const stop = async () => {
    for (const each of stops.splice(0).reverse()) await each();
  };
  try {
    const postgres = join(folder, "postgres");
    mkdirSync(postgres);
    // PostgreSQL runs as another user, who must reach its folder.
    chmodSync(folder, 0o755);
    const database = await startPostgres(programs, postgres, stops);
    const clickhouse = await startChdb();
    stops.push(async () => clickhouse.stop());
    const env = {
      TZ: "UTC",
      POSTGRES_HOST: "127.0.0.1",
      POSTGRES_PORT: database.port,
      POSTGRES_DB: "postgres",
      POSTGRES_USER: "service",
      POSTGRES_PASSWORD: "any",
      CLICKHOUSE_HOST: clickhouse.url,
      CLICKHOUSE_DB: "default",
      CLICKHOUSE_PASSWORD: clickhouse.password,
      BETTER_AUTH_SECRET: "only for this run",
      BASE_URL: URL_OF_SERVER,
      CLOCK_START: String(now),
    };
    await createTables(database, resolve(code, "server"), env, domain);
    // It reads the database from the folder in which it runs.
    writeFileSync(join(folder, "GeoLite2-City.mmdb"), geoip);
    const clock = pathToFileURL(resolve("bench/services/moved-clock.js")).href;
    const child = spawn(process.execPath, ["--import", clock, program], {
      cwd: folder,
      stdio: ["ignore", "ignore", "inherit", "ipc"],
      env,
    });
    const closed = once(child, "close");
    const ended = closed.then(() => {
      throw new Error("Rybbit has ended.");
    });
    // Whoever waits for the clock hears of it.
    ended.catch(() => undefined);
    stops.push(async () => {
      child.kill();
      await closed;
    });
    await retry(async () => {
      const answer = await fetch(`${URL_OF_SERVER}/api/health`);
      if (!answer.ok) throw new Error(`Rybbit's health answers ${answer.status}.`);
    });
    const setClock = async (time: number) => {
      const moved = once(child, "message");
      child.send(time);
      await Promise.race([moved, ended]);
    };
    return { url: URL_OF_SERVER, clickhouse, setClock, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** As its container does, and a site that anybody may read. */
async function createTables({ psql }: Database, cwd: string, env: Record<string, string>, domain: string) {
  const kit = join(cwd, "node_modules/drizzle-kit/bin.cjs");
  await execFile(process.execPath, [kit, "push", "--force", "--config=drizzle.config.ts"], { cwd, env });
  const person = `INSERT INTO "user" (id, name, email, "emailVerified", "createdAt", "updatedAt")
    VALUES ('owner', 'Owner', 'owner@example.com', true, now(), now())`;
  const site = `INSERT INTO sites (name, domain, created_by, public) VALUES ('Example', '${domain}', 'owner', true)`;
  await psql("-v", "ON_ERROR_STOP=1", "-c", person, "-c", site);
}
