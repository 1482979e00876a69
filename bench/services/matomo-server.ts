import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";

const OWNER = { login: "owner", password: "correct-horse-battery" };
const PROGRAMS = ["php", "mariadb-install-db", "mariadbd"];
/** It records sources, mediums, terms and contents of campaigns. */
const CAMPAIGNS = "MarketingCampaignsReporting";
const READY_MS = 60_000;

/** A Matomo that runs until it is closed, with one site and a token of each right. */
export interface Matomo {
  url: string;
  /** Of `Version.php`. */
  version: string;
  tokens: { owner: string; viewer: string; stranger: string };
  /** Adds another site, and returns its id. */
  addSite(site: { domain: string; timezone: string }): Promise<string>;
  /** From now on, Matomo keeps only so many rows of a day's reports. */
  keepRows(most: { pages: number; folder: number; others: number }): void;
  close(): Promise<void>;
}

/** What is missing on this machine, in words; undefined if Matomo can be started. */
export function findMissing(folder: string | undefined): string | undefined {
  const missing = PROGRAMS.filter((name) => spawnSync("which", [name]).status !== 0);
  if (missing.length > 0) {
    return `Missing: ${missing.join(", ")}. On Debian: apt-get install php-cli php-mysql php-xml php-mbstring php-gd php-curl mariadb-server`;
  }
  if (folder === undefined || !existsSync(join(folder, "matomo.php")))
    return "MATOMO_FOLDER must name a folder with Matomo's release, including vendor/.";
  return undefined;
}

/** Starts MariaDB and Matomo in a folder of their own, and goes through Matomo's installation as a browser does. */
export async function startMatomo(code: string, site: { domain: string; timezone: string }): Promise<Matomo> {
  const folder = mkdtempSync(join(tmpdir(), "matomo-"));
  const children: ChildProcess[] = [];
  const close = async () => {
    for (const child of children.reverse()) await stop(child);
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    const socket = join(folder, "mariadb.sock");
    children.push(await startDatabase(folder, socket));
    const port = await findPort();
    const url = `http://127.0.0.1:${port}/`;
    children.push(await startPhp(code, { folder, socket, port }));
    const install = createBrowser(url);
    await install(socket, site);
    activatePlugin(join(folder, "matomo"), CAMPAIGNS);
    const call = createCaller(url);
    const owner = await createToken(call, OWNER);
    const users = { viewer: "", stranger: "" };
    for (const login of ["viewer", "stranger"] as const) {
      const user = { login, password: `${login}-${OWNER.password}` };
      await call("UsersManager.addUser", {
        userLogin: login,
        password: user.password,
        email: `${login}@example.com`,
        passwordConfirmation: OWNER.password,
        token_auth: owner,
      });
      users[login] = await createToken(call, user);
    }
    const allowViewer = (idSites: string) =>
      call("UsersManager.setUserAccess", {
        userLogin: "viewer",
        access: "view",
        idSites,
        passwordConfirmation: OWNER.password,
        token_auth: owner,
      });
    await allowViewer("1");
    const version = await call("API.getMatomoVersion", { token_auth: owner });
    return {
      url,
      version: String(Reflect.get(Object(version), "value")),
      tokens: { owner, ...users },
      addSite: async ({ domain, timezone }) => {
        const site = { siteName: domain, urls: `https://${domain}`, timezone, token_auth: owner };
        const id = String(Reflect.get(Object(await call("SitesManager.addSite", site)), "value"));
        await allowViewer(id);
        return id;
      },
      keepRows: (most) => limitRows(join(folder, "matomo", "config", "config.ini.php"), most),
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

async function startDatabase(folder: string, socket: string): Promise<ChildProcess> {
  const data = join(folder, "mariadb");
  const common = ["--no-defaults", `--datadir=${data}`];
  const user = process.getuid?.() === 0 ? ["--user=root"] : [];
  const made = spawnSync("mariadb-install-db", [
    ...common,
    ...user,
    "--auth-root-authentication-method=normal",
  ]);
  if (made.status !== 0) throw new Error(`mariadb-install-db failed: ${made.stderr}`);
  const child = spawn("mariadbd", [...common, ...user, `--socket=${socket}`, "--skip-networking"], {
    stdio: "ignore",
  });
  await waitUntil(() => existsSync(socket), "MariaDB");
  return child;
}

async function startPhp(
  code: string,
  { folder, socket, port }: { folder: string; socket: string; port: number },
): Promise<ChildProcess> {
  const copy = join(folder, "matomo");
  cpSync(code, copy, { recursive: true });
  mkdirSync(join(copy, "tmp"), { recursive: true });
  const settings = {
    display_errors: "0",
    memory_limit: "512M",
    "mysqli.default_socket": socket,
    "pdo_mysql.default_socket": socket,
  };
  const flags = Object.entries(settings).flatMap(([name, value]) => ["-d", `${name}=${value}`]);
  const child = spawn("php", [...flags, "-S", `127.0.0.1:${port}`, "-t", copy], {
    stdio: "ignore",
    // A group of its own, because the workers outlive the process that began them.
    detached: true,
    // A report may ask Matomo itself.
    env: { ...process.env, PHP_CLI_SERVER_WORKERS: "3" },
  });
  await waitUntil(async () => (await fetch(`http://127.0.0.1:${port}/robots.txt`)).ok, "PHP");
  return child;
}

function limitRows(
  file: string,
  { pages, folder, others }: { pages: number; folder: number; others: number },
): void {
  const lines = [
    `datatable_archiving_maximum_rows_actions = ${pages}`,
    `datatable_archiving_maximum_rows_subtable_actions = ${folder}`,
    ...["standard", "referrers", "events"].map(
      (name) => `datatable_archiving_maximum_rows_${name} = ${others}`,
    ),
  ];
  writeFileSync(file, readFileSync(file, "utf8").replace("[General]", ["[General]", ...lines].join("\n")));
}

/** The console exits with 1 if PHP warned of anything, so its words count. */
function activatePlugin(folder: string, name: string): void {
  const run = (...args: string[]) =>
    spawnSync("php", [join(folder, "console"), ...args], { encoding: "utf8" }).stdout;
  const activated = run("plugin:activate", name);
  if (!activated.includes(`Activated plugin ${name}`))
    throw new Error(`${name} was not activated: ${activated}`);
  // It adds columns to the database.
  const updated = run("core:update", "--yes");
  if (!/successfully|up to date/.test(updated)) throw new Error(`The database was not updated: ${updated}`);
}

/** Goes through the pages of the installation. */
function createBrowser(url: string) {
  let cookie = "";
  const open = async (action: string, form?: Record<string, string>, query = "") => {
    const response = await fetch(`${url}index.php?action=${action}${query}`, {
      redirect: "manual",
      headers: { cookie },
      ...(form && { method: "POST", body: new URLSearchParams(form) }),
    });
    cookie =
      response.headers
        .getSetCookie()
        .map((each) => each.split(";")[0])
        .join("; ") || cookie;
    const text = await response.text();
    if (response.status >= 400) throw new Error(`${action}: ${response.status} ${text.slice(0, 2_000)}`);
    return text;
  };
  return async (socket: string, { domain, timezone }: { domain: string; timezone: string }) => {
    await open("welcome");
    await open("systemCheck");
    await open("databaseSetup", {
      host: `localhost:${socket}`,
      username: "root",
      password: "",
      dbname: "matomo",
      tables_prefix: "",
      adapter: "PDO\\MYSQL",
      type: "InnoDB",
      submit: "Next",
    });
    await open("tablesCreation", undefined, "&module=Installation");
    await open(
      "setupSuperUser",
      {
        login: OWNER.login,
        password: OWNER.password,
        password_bis: OWNER.password,
        email: "owner@example.com",
        submit: "Next",
      },
      "&module=Installation",
    );
    await open(
      "firstWebsiteSetup",
      {
        siteName: domain,
        url: `https://${domain}`,
        timezone,
        ecommerce: "0",
        submit: "Next",
      },
      "&module=Installation",
    );
    await open("finished", undefined, `&module=Installation&site_idSite=1&site_name=${domain}`);
    await open(
      "finished",
      { do_not_track: "0", anonymise_ip: "0", submit: "Continue" },
      `&module=Installation&site_idSite=1&site_name=${domain}`,
    );
  };
}

export const createCaller =
  (url: string) =>
  async (method: string, params: Record<string, string> = {}) => {
    const body = new URLSearchParams({ module: "API", method, format: "JSON", ...params });
    const response = await fetch(`${url}index.php`, { method: "POST", body });
    const text = await response.text();
    try {
      return JSON.parse(text) as unknown;
    } catch {
      throw new Error(`${method}: ${response.status} ${text.slice(0, 500)}`);
    }
  };

async function createToken(
  call: ReturnType<typeof createCaller>,
  { login, password }: { login: string; password: string },
): Promise<string> {
  const answer = await call("UsersManager.createAppSpecificTokenAuth", {
    userLogin: login,
    passwordConfirmation: password,
    description: "analytics-mcp",
  });
  const token = Reflect.get(Object(answer), "value");
  if (typeof token !== "string") throw new Error(`No token for ${login}: ${JSON.stringify(answer)}`);
  return token;
}

function findPort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0));
    });
  });
}

async function waitUntil(isReady: () => boolean | Promise<boolean>, name: string): Promise<void> {
  const end = Date.now() + READY_MS;
  while (Date.now() < end) {
    if (await Promise.resolve(isReady()).catch(() => false)) return;
    await wait(200);
  }
  throw new Error(`${name} did not start.`);
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  const ended = new Promise((resolve) => child.once("exit", resolve));
  const group = child.spawnfile === "php" ? -(child.pid ?? 0) : (child.pid ?? 0);
  process.kill(group, "SIGTERM");
  await Promise.race([ended, wait(10_000).then(() => process.kill(group, "SIGKILL"))]);
}
