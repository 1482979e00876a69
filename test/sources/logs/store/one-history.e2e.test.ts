import { existsSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, it } from "vitest";
import { resolveSource } from "../../../../src/sources/resolve-source.ts";
import { connectInProcess, type McpClient } from "../../../support/clients.ts";
import { IS_LONG } from "../../../support/seed.ts";
import { runShell } from "../../../support/shell.ts";
import { combinedLine, createLogPlace, type LogPlace } from "../log-place.ts";

/*
 * However logs are asked about, every answer is that of their one history, or says by name why it is not: random sequences of what
 * happens to log files, questions and changes of options.
 */

const HOUR = 3_600_000;
const SITES = ["shop.example.com", "example.com", "tiny.example.com"] as const;
/** Whose lines are left out by some options. */
const OWN = "203.0.113.7";

const dateOf = (time: number) => new Date(time).toISOString().slice(0, 10);

interface Answer {
  /** By date, page views and visitors; only days with some. */
  days: Map<string, string>;
  codes: string[];
}

interface Line {
  at: number;
  site: string;
  address: string;
  text: string;
}

function readAnswer({ points, warnings = [] }: { points: Day[]; warnings?: { code: string }[] }): Answer {
  const days = points.flatMap(({ date, pageviews, visitors }): [string, string][] =>
    pageviews === 0 ? [] : [[date, `${pageviews} ${visitors}`]],
  );
  return { days: new Map(days), codes: warnings.map(({ code }) => code) };
}
interface Day {
  date: string;
  pageviews: number;
  visitors: number;
}

const WAYS = [
  "by --site",
  "by an argument",
  "through a folder",
  "with one file",
  "with a list of files",
  "with an option",
  "in another timezone",
  "by a profile",
  "by another profile",
  "by MCP",
  "by MCP without a site",
] as const;
type Way = (typeof WAYS)[number];

/** An answer that names what prevents it. */
const REFUSED = "refused";

class Machine {
  readonly place: LogPlace = createLogPlace();
  private readonly environment = {
    ...this.place.environment,
    XDG_CONFIG_HOME: join(this.place.folder, "config"),
    TZ: "UTC",
  };
  private servers: McpClient[] = [];
  private readonly written: Line[] = [];
  /** By site, what was told of each day: it stays. */
  private told = new Map<string, Map<string, string>>();
  private leftOut = new Set<string>();
  /** By site and date, whether own lines were left out when it was counted last. */
  private readonly options = new Map<string, boolean>();
  private count = 0;

  private readonly path = (name: string) => join(this.place.folder, "www", name);
  private readonly pattern = this.path("v.log*");

  private get period() {
    return `2026-11-15/${dateOf(this.place.clock.now)}`;
  }

  async start() {
    this.servers = [
      await this.startServer({ logs: [this.pattern] }),
      await this.startServer({ logs: [this.pattern], site: [SITES[0]] }),
    ];
  }

  private async startServer(flags: Record<string, unknown>) {
    const { environment } = this;
    const clock = () => this.place.clock.now;
    const { call } = resolveSource(flags, { environment, clock, warn: () => {}, stdin: process.stdin });
    return connectInProcess({ call });
  }

  async stop() {
    for (const server of this.servers) await server.close();
    this.place.remove();
  }

  write(lines: number, hours: number, random: number) {
    const { now } = this.place.clock;
    const made = Array.from({ length: lines }, (_, index): Line => {
      const mixed = (random + 7 * index) % 101;
      const at = now - Math.floor((hours * HOUR * (lines - index)) / lines) - 1_000;
      const address = mixed % 5 === 0 ? OWN : `198.51.100.${mixed % 17}`;
      const site = SITES[mixed % 11 === 0 ? 2 : mixed % 2] ?? SITES[0];
      const text = `${site}:443 ${combinedLine({ at, address, path: `/${mixed % 5}?${this.count++}` })}`;
      return { at, site, address, text };
    });
    this.written.push(...made);
    this.place.append(
      "v.log",
      made.map(({ text }) => text),
    );
  }

  rotate() {
    if (!existsSync(this.path("v.log"))) return;
    for (let number = 8; number >= 1; number--)
      if (existsSync(this.path(`v.log.${number}`)))
        renameSync(this.path(`v.log.${number}`), this.path(`v.log.${number + 1}`));
    renameSync(this.path("v.log"), this.path("v.log.1"));
    writeFileSync(this.path("v.log"), "");
  }

  /** What was written since the last question was never told. */
  async removeOldest() {
    await this.tell();
    const oldest = readdirSync(this.path(".")).sort().at(-1);
    if (oldest !== undefined) rmSync(this.path(oldest));
  }

  private async shell(words: string[]): Promise<Answer | typeof REFUSED> {
    const { environment } = this;
    const clock = () => this.place.clock.now;
    const { code, stdout, stderr } = await runShell([...words, "--json"], { environment, clock });
    if (code === 0) return readAnswer(JSON.parse(stdout));
    expect(stderr).toMatch(
      /would give a second number|No log file matches|is a folder without files|There is no request|The logs are empty/,
    );
    return REFUSED;
  }

  private async mcp(server: number, args: object): Promise<Answer> {
    const result = await this.servers[server]?.callTool("get_timeseries", { period: this.period, ...args });
    expect(result?.isError ?? false, JSON.stringify(result?.content)).toBe(false);
    return readAnswer(result?.structuredContent as never);
  }

  /** All ways to ask about a site. */
  private readonly ways: Record<Way, (site: string) => Promise<Answer | typeof REFUSED>> = {
    "by --site": (site) =>
      this.shell(["timeseries", "--logs", this.pattern, "--site", site, "--period", this.period]),
    "by an argument": (site) =>
      this.shell(["timeseries", site, "--logs", this.pattern, "--period", this.period]),
    "through a folder": (site) =>
      this.shell(["timeseries", site, "--logs", this.path("."), "--period", this.period]),
    "with one file": (site) =>
      this.shell(["timeseries", site, "--logs", this.path("v.log.1"), "--period", this.period]),
    "with a list of files": (site) =>
      this.shell([
        "timeseries",
        site,
        ...["v.log", "v.log.*", "other.log*"].flatMap((name) => ["--logs", this.path(name)]),
        "--period",
        this.period,
      ]),
    "with an option": (site) =>
      this.shell([
        "timeseries",
        site,
        "--logs",
        this.pattern,
        "--exclude-address",
        OWN,
        "--period",
        this.period,
      ]),
    "in another timezone": (site) =>
      this.shell([
        "timeseries",
        site,
        "--logs",
        this.pattern,
        "--timezone",
        "Asia/Tokyo",
        "--period",
        this.period,
      ]),
    "by a profile": (site) => this.shell(["timeseries", site, "--profile", "one", "--period", this.period]),
    "by another profile": (site) =>
      this.shell(["timeseries", site, "--profile", "other", "--period", this.period]),
    "by MCP": (site) => this.mcp(0, { site }),
    "by MCP without a site": () => this.mcp(1, {}),
  };

  async login() {
    for (const [name, pattern] of [
      ["one", this.pattern],
      ["other", this.path("v.*")],
    ] as const) {
      const { environment } = this;
      const words = ["login", "--profile", name, "--logs", pattern];
      const { code, stderr } = await runShell(words, { environment, clock: () => this.place.clock.now });
      expect([code, stderr]).toEqual([0, expect.anything()]);
    }
  }

  private async ask(site: string): Promise<Answer> {
    const answer = await this.shell(["timeseries", site, "--logs", this.pattern, "--period", this.period]);
    if (answer === REFUSED) throw new Error("The question was refused.");
    return answer;
  }

  /** What the history says of all sites. No day has less than was told. */
  async tell() {
    for (const site of this.listSites()) {
      const { days } = await this.ask(site);
      this.compareTold(site, days);
      this.told.set(site, days);
    }
  }

  private readonly listSites = () => SITES.filter((site) => this.written.some((line) => line.site === site));

  private compareTold(site: string, days: ReadonlyMap<string, string>) {
    for (const [date, text] of this.told.get(site) ?? []) {
      const [views = 0, visitors = 0] = (days.get(date) ?? "").split(" ").map(Number);
      const [toldViews = 0, toldVisitors = 0] = text.split(" ").map(Number);
      expect(views, `page views of ${site} on ${date}`).toBeGreaterThanOrEqual(toldViews);
      expect(visitors, `visitors of ${site} on ${date}`).toBeGreaterThanOrEqual(toldVisitors);
    }
  }

  /** Asks in the usual way, and in another one. */
  async compare(way: Way, index: number) {
    await this.tell();
    await this.askIn(way, index);
  }

  /** What is answered in one way is what was told before. */
  async askIn(way: Way, index: number) {
    const sites = this.listSites();
    const site = way === "by MCP without a site" ? SITES[0] : (sites[index % sites.length] ?? SITES[0]);
    if (!sites.includes(site)) return;
    const answer = await this.ways[way](site);
    if (answer === undefined || answer === REFUSED) {
      // A way that names no option of its own is never refused while there are files.
      expect(/option|timezone|file|folder/.test(way), `${way} is refused`).toBe(true);
      return;
    }
    const lacks = answer.codes.some((code) => code === "part_of_logs" || code === "other_history");
    if (!lacks)
      expect(Object.fromEntries(answer.days), way).toEqual(Object.fromEntries(this.told.get(site) ?? []));
  }

  /** Other options: days whose lines are there are counted by them, the others stay as they were told, and answers say so. */
  async set(leftOut: boolean) {
    await this.tell();
    const before = this.told;
    this.leftOut = new Set(leftOut ? [OWN] : []);
    const value = leftOut ? OWN : "none";
    const words = ["logs", "--set", "--exclude-address", value, this.pattern, "--json"];
    const { environment } = this;
    const { code, stderr } = await runShell(words, { environment, clock: () => this.place.clock.now });
    expect([code, stderr]).toEqual([0, expect.anything()]);
    this.told = new Map();
    const present = this.readFiles();
    for (const site of this.listSites()) {
      const { days, codes } = await this.ask(site);
      const told = before.get(site) ?? new Map<string, string>();
      for (const date of new Set([...days.keys(), ...told.keys()])) {
        const key = `${site} ${date}`;
        if (days.get(date) === this.countPresent(site, date, present)) this.options.set(key, leftOut);
        else expect(days.get(date), key).toBe(told.get(date));
        const isOld = (this.options.get(key) ?? false) !== leftOut;
        // Of days that both options count alike, it cannot be told by which one they were counted.
        if (isOld) expect(codes, `${key} was counted by other options`).toContain("options_changed");
      }
      this.told.set(site, days);
    }
  }

  private readonly readFiles = () =>
    new Set(
      readdirSync(this.path("."))
        .filter((name) => name.startsWith("v.log"))
        .flatMap((name) => this.place.read(name)),
    );

  /** What the lines that are there give. */
  private countPresent(site: string, date: string, present: ReadonlySet<string>): string | undefined {
    const lines = this.written.filter(
      (line) =>
        line.site === site &&
        dateOf(line.at) === date &&
        !this.leftOut.has(line.address) &&
        present.has(line.text),
    );
    if (lines.length === 0) return undefined;
    return `${lines.length} ${new Set(lines.map(({ address }) => address)).size}`;
  }
}

type Step = (machine: Machine) => unknown;
const step = (name: string, act: Step): Step => Object.assign(act, { [fc.toStringMethod]: () => name });

const steps: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc
      .tuple(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 1, max: 40 }), fc.nat(1_000))
      .map(([lines, hours, random]) =>
        step(`write ${lines} of ${hours} hours`, (machine) => machine.write(lines, hours, random)),
      ),
  },
  { weight: 2, arbitrary: fc.constant(step("rotate", (machine) => machine.rotate())) },
  { weight: 2, arbitrary: fc.constant(step("remove the oldest file", (machine) => machine.removeOldest())) },
  {
    weight: 2,
    arbitrary: fc.integer({ min: 1, max: 80 }).map((hours) =>
      step(`${hours} hours later`, ({ place }) => {
        place.clock.now += hours * HOUR;
      }),
    ),
  },
  {
    weight: 2,
    arbitrary: fc.boolean().map((leftOut) => step(`set ${leftOut}`, (machine) => machine.set(leftOut))),
  },
  {
    weight: 8,
    arbitrary: fc
      .tuple(fc.constantFrom(...WAYS), fc.nat(2))
      .map(([way, index]) => step(`ask ${way} (${index})`, (machine) => machine.compare(way, index))),
  },
);

async function follow(sequence: readonly Step[]) {
  const machine = new Machine();
  try {
    machine.write(30, 30, 1);
    await machine.start();
    await machine.login();
    await machine.tell();
    for (const act of sequence) await act(machine);
    await machine.tell();
    for (const way of WAYS) await machine.askIn(way, 0);
    await machine.tell();
  } finally {
    await machine.stop();
  }
}

it("every way to ask about logs gives what was told, or says what it lacks", async () => {
  const sequences = fc.array(steps, { minLength: 6, maxLength: 14 });
  await fc.assert(fc.asyncProperty(sequences, follow), { numRuns: IS_LONG ? 300 : 3 });
}, 900_000);
