import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { getuid } from "node:process";
import * as oauth from "oauth4webapi";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { execFileSync, spawnSync } from "../support/child-process.js";
import { connectHttp } from "../support/clients.ts";
import { installed } from "../support/installed-package.ts";
import { combined, joinLines } from "../support/logs.ts";
import { hasSqlite, newestNode } from "../support/other-nodes.ts";
import { findPort, findProgram, type Running, startProgram } from "../support/processes.ts";
import { signIn } from "../support/sign-in.ts";

/**
 * The settings that this file applies without systemd, and how. A test machine has no systemd to start units with, so the
 * others are only checked for their form, by systemd's own tools.
 */
const APPLIED: Readonly<Record<string, string>> = {
  EnvironmentFile: "the file of docs/connector.md",
  Environment: "as it is",
  ExecStart: "the package's program",
  RestartPreventExitStatus: "what it exits with where no key was created",
  TimeoutStopSec: "as it is",
  KillSignal: "as it is",
  User: "setpriv --reuid, with the home that adduser gives it",
  SupplementaryGroups: "setpriv --groups",
  StateDirectory: "its home",
  StateDirectoryMode: "the mode of its home",
  UMask: "umask",
  LimitNOFILE: "prlimit --nofile",
  NoNewPrivileges: "setpriv --no-new-privs",
  CapabilityBoundingSet: "setpriv --bounding-set",
  ProtectSystem: "a read-only root",
  ProtectHome: "empty folders",
  PrivateTmp: "an empty folder",
  PrivateDevices: "a folder of six devices",
};
const NOT_APPLIED = [
  ...["Restart", "RestartSec", "MemoryMax", "TasksMax", "ProtectClock", "ProtectControlGroups"],
  ...["ProtectHostname", "ProtectKernelLogs", "ProtectKernelModules", "ProtectKernelTunables"],
  ...["ProtectProc", "RestrictAddressFamilies", "RestrictNamespaces", "RestrictRealtime"],
  ...["RestrictSUIDSGID", "LockPersonality", "RemoveIPC", "SystemCallArchitectures", "SystemCallFilter"],
];

const unit = readFileSync("deploy/analytics-mcp.service", "utf8");
const [, service = ""] = /^\[Service\]\n([\s\S]*?)^\[/m.exec(unit) ?? [];
const settings = new Map(
  [...service.matchAll(/^(\w+)=(.*)$/gm)].map(([, name = "", value = ""]) => [name, value]),
);
const [, page = ""] = readFileSync("docs/connector.md", "utf8").split("\n### systemd\n");

it("each setting of the unit is applied below, or listed as one that only systemd applies", () => {
  expect([...settings.keys()].sort()).toEqual([...Object.keys(APPLIED), ...NOT_APPLIED].sort());
});

const SYSTEMD = findProgram("systemd-analyze");
it.skipIf(!SYSTEMD)("systemd finds the unit well protected", () => {
  const told = String(
    execFileSync(SYSTEMD ?? "", ["security", "--offline=yes", "--no-pager", "deploy/analytics-mcp.service"]),
  );
  expect(Number(/Overall exposure level for [^:]*: ([\d.]+)/.exec(told)?.[1])).toBeLessThan(2);
});

/** A number that no account of the machine has. */
const ACCOUNT = 64_123;
const HOME = "/var/lib/analytics-mcp";
const ADM = /^adm:[^:]*:(\d+):/m.exec(readFileSync("/etc/group", "utf8"))?.[1];
const TOOLS = ["unshare", "setpriv", "prlimit", "mount"].map(findProgram);

/**
 * Starts a program as the unit does, in a view of the machine of its own. $1 is the package, $2 Node's binary, $3 the home, $4
 * a folder with the log.
 */
const IN_UNIT = `set -e
mount -t tmpfs -o mode=755 none /mnt
mkdir /mnt/package /mnt/empty && touch /mnt/node
mount --bind "$1" /mnt/package
mount --bind "$2" /mnt/node
mount -t tmpfs -o mode=755 none /mnt/empty
mkdir -p /mnt/empty/analytics-mcp /mnt/empty/log
mount --bind "$3" /mnt/empty/analytics-mcp
mount --bind "$4" /mnt/empty/log
mount -t tmpfs -o mode=755 none /var/lib
mkdir ${HOME} && mount --bind /mnt/empty/analytics-mcp ${HOME}
mount -t tmpfs -o mode=755 none /var/log
mkdir /var/log/nginx && mount --bind /mnt/empty/log /var/log/nginx
mkdir /mnt/dev
for device in null zero full random urandom tty; do touch /mnt/dev/$device; mount --bind /dev/$device /mnt/dev/$device; done
mount --rbind /mnt/dev /dev
for folder in /root /home; do mount -t tmpfs -o mode=755,ro none $folder; done
mount -t tmpfs -o mode=1777 none /tmp
mount -o remount,ro,bind /
umask ${settings.get("UMask")}
cd /
shift 4
exec prlimit --nofile=${settings.get("LimitNOFILE")} setpriv --reuid=${ACCOUNT} --regid=${ACCOUNT} --groups=${ADM} \\
  --no-new-privs --bounding-set=-all --inh-caps=-all -- /mnt/node /mnt/package/bin/analytics-mcp.js "$@"
`;

describe.skipIf(getuid?.() !== 0 || ADM === undefined || TOOLS.includes(undefined))(
  "with the unit's settings, by a user of its own (root, unshare, setpriv)",
  () => {
    const { bin } = installed;
    const folder = mkdtempSync(join(tmpdir(), "unit-"));
    const [home, log] = [join(folder, "home"), join(folder, "log")];
    const node = newestNode;
    const environment: Record<string, string> = {};
    let connector: Running;

    const inUnit = (...args: string[]) => [
      ...["--mount", "--propagation=private", "sh", "-c", IN_UNIT, "sh"],
      ...[dirname(dirname(realpathSync(bin))), realpathSync(node), home, log],
      ...args,
    ];
    const run = (...args: string[]) =>
      String(execFileSync("unshare", inUnit(...args), { env: environment, stdio: "pipe" }));

    beforeAll(async () => {
      mkdirSync(home, { mode: Number.parseInt(settings.get("StateDirectoryMode") ?? "", 8) });
      chownSync(home, ACCOUNT, ACCOUNT);
      // As Debian's nginx and logrotate leave them.
      mkdirSync(log);
      writeFileSync(join(log, "access.log"), joinLines(combined({ at: Date.now() - 60_000 }), combined()));
      chmodSync(log, 0o755);
      chmodSync(join(log, "access.log"), 0o640);
      chownSync(join(log, "access.log"), 0, Number(ADM));
      const [, file = ""] = /\/etc\/analytics-mcp\.env <<'END'\n([\s\S]*?)^END$/m.exec(page) ?? [];
      const given = file.matchAll(/^(\w+)=(.*)$/gm);
      for (const [, name = "", value = ""] of given) environment[name] = value;
      expect(Object.keys(environment)).toHaveLength(4);
      const port = await findPort();
      Object.assign(environment, {
        ...{ HOME, NODE_ENV: settings.get("Environment")?.replace("NODE_ENV=", "") },
        ANALYTICS_SERVE_PORT: String(port),
        // In place of the reader's own name, which no proxy serves here.
        ANALYTICS_SERVE_PUBLIC_URL: `http://localhost:${port}`,
        // Node 20 has no store in a file without a package of its own.
        ...(!hasSqlite(node) && { ANALYTICS_SERVE_STORE: "memory" }),
      });
    });
    afterAll(async () => {
      await connector?.stop();
      rmSync(folder, { recursive: true });
    });

    it("without a key, it ends with a code after which systemd does not start it again", () => {
      const { status, stderr } = spawnSync("unshare", inUnit("serve"), { env: environment });
      expect(String(stderr)).toContain("analytics-mcp keys add");
      expect(settings.get("RestartPreventExitStatus")?.split(" ")).toContain(String(status));
    });

    it("one colleague gets a key, signs in, and asks; nothing is written but in its home", async () => {
      const [, words = ""] = /^sudo -u analytics-mcp -H analytics-mcp (keys add jane .*)$/m.exec(page) ?? [];
      const key = run(...words.split(" ")).trim();
      expect(key).toMatch(/^amcp_/);
      const [, program, ...serve] = (settings.get("ExecStart") ?? "").split(" ");
      expect(program).toBe("analytics-mcp");
      connector = await startProgram("unshare", inUnit(...serve), environment, "The connector is at");
      const publicUrl = environment.ANALYTICS_SERVE_PUBLIC_URL ?? "";
      const { server, client, exchange } = await signIn(
        { publicUrl, mcp: `${publicUrl}/mcp` },
        "http://127.0.0.1:1234/cb",
        key,
      );
      const tokens = await oauth.processAuthorizationCodeResponse(server, client, await exchange());
      const mcp = await connectHttp("v2 auto", `${publicUrl}/mcp`, tokens.access_token);
      const answer = await mcp.callTool("get_stats", { days: 1 });
      expect([answer.isError ?? false, JSON.stringify(answer)]).toEqual([
        false,
        expect.stringMatching(/"visitors\\?":1\b/),
      ]);
      await mcp.close();
      const names = readdirSync(home, { recursive: true, encoding: "utf8" });
      expect(names).toContain(join(".config", "analytics-mcp", "keys.json"));
      if (hasSqlite(node)) expect(names).toContain(join(".local", "state", "analytics-mcp", "secret"));
      expect(names.some((name) => name.endsWith(".parquet") || name.includes("logs"))).toBe(true);
      for (const name of names) {
        const { uid, mode } = statSync(join(home, name));
        expect([name, uid, mode & 0o077]).toEqual([name, ACCOUNT, 0]);
      }
    });

    it("a team's keys are listed and taken back one by one", () => {
      const commands = [...page.matchAll(/^sudo -u analytics-mcp -H analytics-mcp (keys .*?)(?: +#.*)?$/gm)];
      const [, first = "", second = "", list = "", remove = ""] = commands.map(([, words]) => words);
      const split = (words: string) => words.split(" ").map((word) => word.replaceAll("'", ""));
      const keys = [first, second].map((words) => run(...split(words)).trim());
      expect(new Set(keys).size).toBe(2);
      const ids = [...run(...split(list)).matchAll(/marketing.*?(key_\w+)/g)].map(([, id = ""]) => id);
      expect(ids).toHaveLength(2);
      run(...split(remove.replace(/key_\w+/, ids[0] ?? "")));
      expect(run(...split(list)).match(/marketing/g)).toHaveLength(1);
    });

    it("stops in time when it is asked to", async () => {
      const began = performance.now();
      expect(settings.get("KillSignal")).toBe("SIGTERM");
      expect(await connector.stop("SIGTERM")).toBe(0);
      expect(performance.now() - began).toBeLessThan(1000 * Number(settings.get("TimeoutStopSec")));
    });
  },
);
