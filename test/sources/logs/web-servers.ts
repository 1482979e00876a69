import { once } from "node:events";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { spawn } from "../../support/child-process.js";
import { findPort, findProgram } from "../../support/processes.ts";
import { BLOG, content, MAIN } from "./scripted-visits.ts";

/** A web server of this machine, with its files and logs in a folder of its own. */
export interface WebServer {
  port: number;
  folder: string;
  /** Has it open its logs again, as logrotate does after renaming them. */
  reopen(): void;
  stop(): Promise<void>;
}

interface Place {
  port: number;
  /** Everything is below it: pages in `www`, logs in `logs`. */
  folder: string;
}

/** How a server is started without becoming a service. */
export interface Program {
  path: string | undefined;
  configure(place: Place): string;
  start(file: string, place: Place): string[];
}

/** A zone with a fraction of an hour: what the log says of its offset must be read. */
const ZONE = "Asia/Kolkata";

const isRoot = process.getuid?.() === 0;

/** @param log The directives about logs. */
export const nginx = (log: (logs: string) => { http: string; main: string; blog: string }): Program => ({
  path: findProgram("nginx"),
  configure: ({ port, folder }) => {
    const { http, main, blog } = log(join(folder, "logs"));
    const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
      (name) => `${name}_temp_path ${join(folder, name)};`,
    );
    const site = (name: string, directive: string) =>
      `server { listen 127.0.0.1:${port}; server_name ${name}; root ${join(folder, "www")}; ${directive} }`;
    return [
      `daemon off; pid ${join(folder, "pid")}; error_log stderr; events {}`,
      "http { types { text/html html; text/css css; image/png png; application/pdf pdf; }",
      ...temporary,
      http,
      site(MAIN, main),
      site(BLOG, blog),
      "}",
    ].join("\n");
  },
  start: (file, { folder }) => ["-p", folder, "-c", file, "-e", "stderr"],
});

const MODULES = "/usr/lib/apache2/modules";
const apacheModules = ["mpm_event", "authz_core", "dir", "mime"];

/** Apache with Debian's format `vhost_combined`. */
export const apache: Program = {
  path: existsSync(MODULES) ? findProgram("apache2") : undefined,
  configure: ({ port, folder }) => {
    const site = (name: string) =>
      `<VirtualHost *:${port}>\nServerName ${name}\nDocumentRoot ${join(folder, "www")}\n</VirtualHost>`;
    return [
      ...apacheModules.map((name) => `LoadModule ${name}_module ${MODULES}/mod_${name}.so`),
      ...(isRoot ? ["User www-data", "Group www-data"] : []),
      `ServerRoot ${folder}\nServerName ${MAIN}\nListen 127.0.0.1:${port}\nPidFile ${join(folder, "pid")}`,
      `DefaultRuntimeDir ${folder}\nErrorLog ${join(folder, "error.log")}\nTypesConfig /dev/null\nAddType text/html .html`,
      `<Directory ${join(folder, "www")}>\nRequire all granted\nDirectoryIndex index.html\n</Directory>`,
      String.raw`LogFormat "%v:%p %h %l %u %t \"%r\" %>s %O \"%{Referer}i\" \"%{User-Agent}i\"" vhost_combined`,
      `CustomLog ${join(folder, "logs", "access.log")} vhost_combined`,
      site(MAIN),
      site(BLOG),
    ].join("\n");
  },
  start: (file) => ["-f", file, "-D", "FOREGROUND"],
};

/** Caddy, which rotates and compresses its log itself once it has a megabyte. */
export const caddy: Program = {
  path: findProgram("caddy"),
  configure: ({ port, folder }) =>
    [
      "{\nadmin off\nauto_https off\n}",
      `http://:${port} {\nbind 127.0.0.1\nroot * ${join(folder, "www")}\nfile_server`,
      `log {\noutput file ${join(folder, "logs", "access.log")} {\nroll_size 1MiB\n}\n}\n}\n`,
    ].join("\n"),
  start: (file) => ["run", "--config", file, "--adapter", "caddyfile"],
};

/** Starts a server on a free port, and resolves when it answers. */
export async function startWebServer({ path = "", configure, start }: Program): Promise<WebServer> {
  const folder = mkdtempSync(join(tmpdir(), "web-"));
  // A server that root starts gives up its rights before it reads the files.
  chmodSync(folder, 0o755);
  mkdirSync(join(folder, "logs"));
  for (const [name, text] of Object.entries(content)) {
    const file = join(folder, "www", name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
  const place = { port: await findPort(), folder };
  const file = join(folder, "server.conf");
  writeFileSync(file, configure(place));
  const child = spawn(path, start(file, place), { env: { TZ: ZONE, HOME: folder }, stdio: "pipe" });
  let said = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (chunk) => {
      said += chunk;
    });
  const exit = once(child, "close");
  for (let attempt = 0; !(await isListening(place.port)); attempt++) {
    if (attempt > 1_000 || child.exitCode !== null) throw new Error(`${path} does not start: ${said}`);
    await sleep(50);
  }
  return {
    ...place,
    reopen: () => void child.kill("SIGUSR1"),
    stop: async () => {
      child.kill("SIGTERM");
      await exit;
      rmSync(folder, { recursive: true });
    },
  };
}

/** A connection without a request is in no log. */
function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1", () => resolve(true));
    socket.on("connect", () => socket.destroy()).on("error", () => resolve(false));
  });
}
