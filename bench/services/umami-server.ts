import { once } from "node:events";
import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { spawn } from "../../test/support/child-process.js";
import { findPort } from "../../test/support/processes.ts";
import { type Database, findPostgres, retry, type Stop, startPostgres } from "./postgres.ts";

/** What a fresh database contains, as Umami's documentation says. */
export const UMAMI_ADMIN = { username: "admin", password: "umami" } as const;

const NEEDS = `Needed are Debian's package postgresql, and a folder with the code of Umami 3.1, named by UMAMI_FOLDER:

  git clone --branch v3.1.0 https://github.com/umami-software/umami && cd umami
  npx pnpm@10 install --frozen-lockfile --ignore-scripts --prod
  DATABASE_URL=postgresql://nobody@localhost/none npx prisma generate
`;

export interface UmamiServer {
  /** Without a slash at the end. */
  url: string;
  stop(): Promise<void>;
}

/** Starts Umami on an empty database of its own. What is missing is an error that says where to get it. */
export async function startUmami(): Promise<UmamiServer> {
  const code = process.env.UMAMI_FOLDER;
  const programs = findPostgres();
  if (code === undefined || programs === undefined || !existsSync(join(code, "src/generated/prisma")))
    throw new Error(NEEDS);
  const folder = mkdtempSync(join(tmpdir(), "umami-"));
  const stops: Stop[] = [async () => rmSync(folder, { recursive: true, force: true })];
  const stop = async () => {
    for (const each of stops.splice(0).reverse()) await each();
  };
  try {
    const database = await startPostgres(programs, folder, stops);
    await migrate(database, code);
    return { url: await startNext(code, database.url, stops), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function migrate({ psql }: Database, code: string) {
  const folder = join(code, "prisma/migrations");
  for (const name of readdirSync(folder).sort()) {
    const file = join(folder, name, "migration.sql");
    if (existsSync(file)) await psql("-v", "ON_ERROR_STOP=1", "-f", file);
  }
}

/** A build where there is one, else Next's development server, which compiles each route when it is first asked for. */
async function startNext(code: string, databaseUrl: string, stops: Stop[]): Promise<string> {
  const port = String(await findPort());
  const mode = existsSync(join(code, ".next/BUILD_ID")) ? ["start"] : ["dev", "--turbo"];
  const program = join(code, "node_modules/next/dist/bin/next");
  const child = spawn(process.execPath, [program, ...mode, "-H", "127.0.0.1", "-p", port], {
    cwd: code,
    stdio: ["ignore", "ignore", "inherit"],
    env: {
      DATABASE_URL: databaseUrl,
      APP_SECRET: "only for this run",
      DISABLE_TELEMETRY: "1",
      NEXT_TELEMETRY_DISABLED: "1",
    },
  });
  const closed = once(child, "close");
  stops.push(async () => {
    child.kill();
    await closed;
  });
  const url = `http://127.0.0.1:${port}`;
  await retry(async () => {
    const answer = await fetch(`${url}/api/heartbeat`);
    if (!answer.ok) throw new Error(`Umami's heartbeat answers ${answer.status}.`);
  });
  return url;
}
