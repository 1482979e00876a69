import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { spawn } from "./child-process.js";
import { createSqlServer, type SqlServer, TABLE_SQL } from "./clickhouse.ts";
import { startDialectProxy } from "./clickhouse-dialect.ts";
import { findPort, findProgram } from "./processes.ts";

/** Debian's package, of 2018. */
export const CLICKHOUSE_SERVER = findProgram("clickhouse-server");

export const READER_PASSWORD = "reader's <password> & more";
const LOADER_PASSWORD = "loader's password";

/** The settings of a user's profile, by name. */
export type Profile = Readonly<Record<string, string | number>>;

/** As docs/clickhouse.md has it. */
const READER: Profile = {
  readonly: 1,
  max_execution_time: 60,
  max_memory_usage: 4_000_000_000,
};

export interface ShardServer extends SqlServer {
  /** Translates the parameters and settings of today's ClickHouse into those of 2018. */
  readerUrl: string;
  /** The port of ClickHouse's own protocol. */
  tcpUrl: string;
  signal(name: NodeJS.Signals): Promise<void>;
}

export interface Shards {
  /** Each has `hits`, with the hits of both, and `hits_local`, with its own part. */
  servers: readonly [ShardServer, ShardServer];
  stop(): Promise<void>;
}

/**
 * Starts two servers that each hold a part of the hits.
 *
 * @param profiles Users besides `reader`, who all have its password. One may have another profile on each server.
 */
export async function startShards(
  profiles: Readonly<Record<string, Profile | readonly [Profile, Profile]>> = {},
): Promise<Shards> {
  const folder = mkdtempSync(join(tmpdir(), "clickhouse-"));
  const ports = await Promise.all([0, 1].map(findPorts));
  const cluster = ports.map(({ tcp }) => element("shard", writeReplica(tcp))).join("");
  const start = (index: 0 | 1) => {
    const entries = Object.entries({ reader: {}, default: LOADER, ...profiles });
    const users = entries.map(([name, profile]) => [name, Array.isArray(profile) ? profile[index] : profile]);
    return startServer(join(folder, String(index)), ports[index], cluster, Object.fromEntries(users));
  };
  const servers = await Promise.all([start(0), start(1)]);
  for (const { run } of servers) {
    // The server of 2018 has no LowCardinality.
    const sql = TABLE_SQL.replaceAll("LowCardinality(String)", "String").replace("hits\n", "hits_local\n");
    await run(sql.replace(/;\s*$/, "").replace(/^--.*\n/, ""));
    await run("CREATE TABLE hits AS hits_local ENGINE = Distributed(web, default, hits_local, visitor)");
  }
  return {
    servers,
    stop: async () => {
      await Promise.all(servers.map(({ close }) => close()));
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

interface Ports {
  http: number;
  tcp: number;
  between: number;
}

const findPorts = async (): Promise<Ports> => ({
  http: await findPort(),
  tcp: await findPort(),
  between: await findPort(),
});

/** An INSERT waits until the hits are on their shard. The servers ask each other by this profile. */
export const LOADER: Profile = { readonly: 0, insert_distributed_sync: 1 };

async function startServer(
  folder: string,
  ports: Ports | undefined,
  cluster: string,
  users: Readonly<Record<string, Profile>>,
) {
  if (ports === undefined) throw new Error("There are two servers.");
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "config.xml"), writeConfig(folder, ports, cluster));
  writeFileSync(join(folder, "users.xml"), writeUsers(users));
  const child = spawn(CLICKHOUSE_SERVER ?? "", [`--config-file=${join(folder, "config.xml")}`], {
    cwd: folder,
    stdio: "ignore",
  });
  const exit = once(child, "exit");
  const server = createSqlServer(`http://127.0.0.1:${ports.http}`, LOADER_PASSWORD);
  await untilReady(server, exit);
  const proxy = await startDialectProxy(server);
  return {
    ...server,
    tcpUrl: `http://reader@127.0.0.1:${ports.tcp}`,
    readerUrl: proxy.url.replace("//", "//reader@"),
    signal: async (name: NodeJS.Signals) => {
      child.kill(name);
      if (name === "SIGKILL") await exit;
    },
    close: async () => {
      proxy.close();
      child.kill("SIGKILL");
      await exit;
    },
  };
}

async function untilReady({ run }: SqlServer, exit: Promise<unknown>): Promise<void> {
  const isGone = exit.then(() => true);
  for (let attempt = 0; attempt < 1_500; attempt++) {
    const ready = run("SELECT 1").then(
      () => true,
      () => false,
    );
    if (await ready) return;
    const later = new Promise<boolean>((resolve) => setTimeout(() => resolve(false), 50));
    if (await Promise.race([isGone, later])) break;
  }
  throw new Error("clickhouse-server does not start.");
}

const escapeXml = (text: string) =>
  text.replace(/[&<>]/g, (character) => `&#${character.codePointAt(0) ?? 0};`);
const element = (name: string, content: string) => `<${name}>${content}</${name}>`;
const elements = (values: Readonly<Record<string, string | number>>) =>
  Object.entries(values)
    .map(([name, value]) => element(name, escapeXml(String(value))))
    .join("\n");

const writeReplica = (port: number) =>
  element("replica", elements({ host: "127.0.0.1", port, user: "default", password: LOADER_PASSWORD }));

const writeConfig = (folder: string, ports: Ports, cluster: string) => `<yandex>
<logger><level>none</level></logger>
${elements({
  http_port: ports.http,
  tcp_port: ports.tcp,
  interserver_http_port: ports.between,
  listen_host: "127.0.0.1",
  max_concurrent_queries: 100,
  mark_cache_size: 5_000_000,
  path: `${folder}/data/`,
  tmp_path: `${folder}/tmp/`,
  timezone: "UTC",
  keep_alive_timeout: 60,
  users_config: "users.xml",
  default_profile: "default",
  default_database: "default",
})}
${element("remote_servers", element("web", cluster))}
</yandex>
`;

function writeUsers(profiles: Readonly<Record<string, Profile>>): string {
  const names = Object.keys(profiles);
  const write = (name: string) => {
    const password = name === "default" ? LOADER_PASSWORD : READER_PASSWORD;
    const networks = "<networks><ip>127.0.0.1</ip></networks>";
    // A user who may not read the database of the table.
    const rights = name === "stranger" ? "<allow_databases><database>other</database></allow_databases>" : "";
    return element(name, elements({ password, profile: name, quota: "default" }) + networks + rights);
  };
  const writeProfile = (name: string) =>
    element(name, elements({ ...(name === "default" ? {} : READER), ...profiles[name] }));
  return `<yandex>
${element("profiles", names.map(writeProfile).join("\n"))}
${element("users", names.map(write).join("\n"))}
${element("quotas", element("default", element("interval", elements({ duration: 3600, queries: 0 }))))}
</yandex>
`;
}
