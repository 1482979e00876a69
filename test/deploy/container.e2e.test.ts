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
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { execFileSync, spawnSync } from "../support/child-process.js";
import { installed } from "../support/installed-package.ts";
import { combined, joinLines } from "../support/logs.ts";
import { hasSqlite, newestNode } from "../support/other-nodes.ts";
import { findPort, findProgram, type Running, startProgram } from "../support/processes.ts";

/*
 * What the container file and the compose file for logs say, applied without a container engine, which a test machine lacks: user,
 * groups, variables, volumes, and a root that cannot be written to.
 */

const image =
  readFileSync("deploy/Containerfile", "utf8")
    .split(/^FROM .*$/m)
    .at(-1) ?? "";
const { connector } = parse(readFileSync("deploy/compose.logs.yaml", "utf8")).services;
const [, page = ""] = readFileSync("docs/connector.md", "utf8").split("\n### Containers\n");

/** The user of the image: Node's images give `node` this number. */
const NODE = 1000;
const TOOLS = ["unshare", "setpriv", "mount", "chroot"].map(findProgram);

/** Starts the command of the image. $1 is the package, $2 Node's binary, $3 the folder of logs, $4 the volume, $5 the groups. */
const IN_CONTAINER = `set -e
root=/mnt
mount -t tmpfs -o mode=755 none $root
for folder in usr etc dev proc; do mkdir $root/$folder; mount --rbind /$folder $root/$folder; done
for folder in bin lib lib64; do [ ! -L /$folder ] || cp -a /$folder $root/; done
mkdir $root/package $root/logs $root/state && touch $root/node
mount --bind "$1" $root/package
mount --bind "$2" $root/node
mount --bind "$3" $root/logs
mount -o remount,ro,bind $root/logs
mount --bind "$4" $root/state
mount -o remount,ro $root
groups=$5
shift 5
exec chroot $root setpriv --reuid=${NODE} --regid=${NODE} --groups="$groups" --no-new-privs --bounding-set=-all \\
  --inh-caps=-all -- /node "$@"
`;

describe.skipIf(getuid?.() !== 0 || TOOLS.includes(undefined))(
  "a container for logs (root, unshare, setpriv)",
  () => {
    const { bin } = installed;
    const folder = mkdtempSync(join(tmpdir(), "container-"));
    const [log, state] = [join(folder, "log"), join(folder, "state")];
    const node = newestNode;
    const program = "/package/bin/analytics-mcp.js";
    const environment: Record<string, string> = {};
    let running: Running | undefined;

    const inContainer = (...words: string[]) => [
      ...["--mount", "--propagation=private", "sh", "-c", IN_CONTAINER, "sh"],
      ...[dirname(dirname(realpathSync(bin))), realpathSync(node), log, state, connector.group_add.join(",")],
      ...words,
    ];
    const run = (...words: string[]) =>
      String(execFileSync("unshare", inContainer(program, ...words), { env: environment, stdio: "pipe" }));

    beforeAll(async () => {
      const [, variables = ""] = /^ENV ((?:.*\\\n)*.*)$/m.exec(image) ?? [];
      for (const [, name = "", value = ""] of variables.matchAll(/(\w+)=(\S+)/g)) environment[name] = value;
      const port = await findPort();
      Object.assign(environment, connector.environment, {
        ANALYTICS_SERVE_PORT: String(port),
        // In place of the reader's own name, which no proxy serves here.
        ANALYTICS_SERVE_PUBLIC_URL: `http://localhost:${port}`,
        // Node 20 has no store in a file without a package of its own.
        ...(!hasSqlite(node) && { ANALYTICS_SERVE_STORE: "memory" }),
      });
      // As the image leaves the volume, and Debian's nginx and logrotate the logs.
      mkdirSync(state, { mode: 0o700 });
      chownSync(state, NODE, NODE);
      mkdirSync(log);
      const [now, before] = [Date.now() - 60_000, Date.now() - 26 * 3_600_000];
      const files = { "access.log": now, "access.log.1": before };
      for (const [name, at] of Object.entries(files)) {
        writeFileSync(join(log, name), joinLines(combined({ at })));
        chmodSync(join(log, name), 0o640);
        chownSync(join(log, name), 0, Number(connector.group_add[0]));
      }
    });
    afterAll(async () => {
      await running?.stop();
      rmSync(folder, { recursive: true });
    });

    it("mounts the folder of the logs that it reads, and keeps what it writes", () => {
      expect(connector.volumes).toEqual(["/var/log/nginx:/logs:ro", "state:/state"]);
      expect([
        connector.read_only,
        image.includes("\nVOLUME /state\n"),
        image.includes("\nUSER node\n"),
      ]).toEqual([...[true, true, true]]);
    });

    it("reads the logs, creates a key, serves and is healthy, by the commands of the page", async () => {
      const commands = [...page.matchAll(/compose\.logs\.yaml run --rm connector (.*)$/gm)];
      const [overview = "", keys = ""] = commands.map(([, words = ""]) => words);
      const shown = JSON.parse(run(...overview.split(" "), "--json"));
      expect(shown.site.domain).toBe("example.com");
      expect(JSON.stringify(shown)).toContain(`"timezone":"${connector.environment.TZ}"`);
      expect(JSON.stringify(shown)).toContain('"visitors":1');
      const serve = JSON.parse(/^CMD (\[.*\])$/m.exec(image)?.[1] ?? "");
      const early = spawnSync("unshare", inContainer(program, ...serve), { env: environment });
      expect([early.status, String(early.stderr)]).toEqual([2, expect.stringContaining("keys add")]);
      expect(run(...keys.split(" ")).trim()).toMatch(/^amcp_/);

      running = await startProgram(
        "unshare",
        inContainer(program, ...serve),
        environment,
        "The connector is at",
      );
      const check = JSON.parse(/^HEALTHCHECK .*\n\s+CMD (\[.*\])$/m.exec(image)?.[1] ?? "");
      const [, ...words] = check.map((word: string) =>
        word.replace(":8788/", `:${environment.ANALYTICS_SERVE_PORT}/`),
      );
      expect(spawnSync("unshare", inContainer(...words), { env: environment }).status).toBe(0);
      expect(await running.stop("SIGTERM")).toBe(0);
      expect(spawnSync("unshare", inContainer(...words), { env: environment }).status).toBe(1);

      const names = readdirSync(state, { recursive: true, encoding: "utf8" });
      expect(names).toContain(join("analytics-mcp", "keys.json"));
      expect(names.some((name) => name.startsWith(join("analytics-mcp", "logs")))).toBe(true);
      for (const name of names) {
        const { uid, mode } = statSync(join(state, name));
        expect([name, uid, mode & 0o077]).toEqual([name, NODE, 0]);
      }
    });
  },
);
