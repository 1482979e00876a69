import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { explainParameters } from "../../src/cli/commands/query-errors.ts";
import { readProfile } from "../../src/config/profiles.ts";
import { createParameterError } from "../../src/errors.ts";
import { nameList } from "../../src/reports/list-days.ts";
import { findQuery } from "../../src/reports/queries.ts";
import { readMapping } from "../../src/sources/described/mapping-file.ts";
import {
  DESCRIBED_KEY,
  listDays,
  startAnswers,
  startDescribedService,
} from "../support/described-service.ts";
import { answerRightly, type FaultyServer, send, startServer } from "../support/faulty-server.ts";
import { createHome } from "../support/profiles.ts";
import { runShell } from "../support/shell.ts";

const folder = mkdtempSync(join(tmpdir(), "mapping-"));
const write = (name: string, content: unknown) => {
  const file = join(folder, name);
  writeFileSync(file, typeof content === "string" ? content : JSON.stringify(content));
  return file;
};
/** The mapping that is proposed, and the rest of the command that saves it. */
const readProposal = (stderr: string) => {
  const [, mapping = "", command] =
    /save it as service\.json; if not, change it first:\n(.*)\nThen:\n {2}analytics-mcp login (\S[^\n]*)\n/s.exec(
      stderr,
    ) ?? [];
  return { mapping, command };
};
/** One line for text that was wrapped. */
const flat = (text: string) => text.replaceAll(/\s+/g, " ");

describe("a service that describes itself in words of its own", () => {
  let server: FaultyServer;
  /** Its totals have two counts of equal rank. */
  let unclear: FaultyServer;
  beforeAll(async () => {
    server = await startDescribedService();
    unclear = await startDescribedService({
      counts: { uniqueVisitors: 70, distinctVisitors: 55 },
      site: {},
    });
  });
  afterAll(() => {
    server.close();
    unclear.close();
  });
  const access = ({ origin }: FaultyServer) => ({
    ...createHome(),
    ANALYTICS_BASE_URL: origin,
    ANALYTICS_API_KEY: DESCRIBED_KEY,
  });
  const visitors = async (environment: Record<string, string>, ...argv: string[]) => {
    const asked = ["stats", "--site", "acme.example", "--days", "7", "--json", ...argv];
    const { code, stdout, stderr } = await runShell(asked, { environment });
    return code === 0 ? JSON.parse(stdout).visitors : stderr;
  };

  it("refuses days that it does not have in one sentence, with the command for the nearest", async () => {
    const few = await startDescribedService({ allowed: [7, 30, 90] });
    const ask = async (...argv: string[]) =>
      flat((await runShell(argv, { environment: access(few) })).stderr);
    expect(await ask("stats", "acme.example", "--days", "14")).toBe(
      "error: --days cannot be 14: this service seems to count each visitor once per period, and has totals only of 7, 30 or 90 days. hint: Nearest: analytics-mcp stats --days 30 --site acme.example ",
    );
    expect(await ask("stats", "acme.example", "--days", "300")).toBe(
      "error: --days must be at most 90 at this service. hint: Nearest: analytics-mcp stats --days 90 --site acme.example ",
    );
    // What was typed beside it is typed again.
    const { ANALYTICS_BASE_URL, ...environment } = access(few);
    const { stderr } = await runShell(
      ["stats", "acme.example", "--days", "14", "--base-url", ANALYTICS_BASE_URL],
      {
        environment,
      },
    );
    expect(flat(stderr)).toContain(
      `Nearest: analytics-mcp stats --days 30 --site acme.example --base-url ${ANALYTICS_BASE_URL} `,
    );
    few.close();
  });

  it("has page views of days that cannot be added up, and proposes their visitors day by day", async () => {
    const asked = ["stats", "acme.example", "--period", "last-week"];
    const { stdout, stderr } = await runShell(asked, {
      environment: access(server),
      isTTY: true,
      columns: 150,
    });
    expect(flat(stdout)).toMatch(/visitors page views.* – \d/);
    expect(flat(stderr)).toContain(
      "Visitors by day: analytics-mcp timeseries --site acme.example --period 2026-11-09/2026-11-15",
    );
    const weeks = ["timeseries", "acme.example", "--by", "week", "--period", "last-month"];
    const byWeek = await runShell(weeks, { environment: access(server) });
    expect(byWeek.stdout).toMatch(/^2026-10-05\t2026-10-11\t7\t\t\d+\t$/m);
    expect(flat(byWeek.stderr)).toContain(
      "Visitors are missing: this service seems to count each visitor once",
    );
  });

  it("says why days have no total in the list of sites", async () => {
    const { stdout, stderr } = await runShell(["sites"], {
      environment: access(server),
      isTTY: true,
      columns: 120,
    });
    expect(stdout).toMatch(/^acme\.example .* – /m);
    expect(flat(stderr)).toContain(
      "14 days have no total: this service seems to count each visitor once per period",
    );
  });

  it.each(["tsv", "csv", "ndjson"])("heads the lists of other days beside %s, too", async (output) => {
    const { stderr } = await runShell(["overview", "acme.example", "--output", output, "-q"], {
      environment: access(server),
    });
    expect(stderr).toContain("Top lists: period not stated by the service\n");
  });

  it.each([
    [
      "breakdown",
      { period: "last-week" },
      ["2026-11-14", "2026-11-19"],
      "breakdown --dimension pages --days 7",
    ],
    [
      "breakdown",
      { period: "last-week" },
      ["2026-11-09", "2026-11-15"],
      "breakdown --dimension pages --days 30",
    ],
    [
      "compare",
      { period: "last-month", dimension: "pages" },
      ["2026-10-01", "2026-10-31"],
      "breakdown --dimension pages --days 30",
    ],
    [
      "conversions",
      { period: "2026-10", goal: "page=/" },
      ["2026-10-01", "2026-10-31"],
      "conversions --goal page=/ --days 30",
    ],
  ] as const)(
    "proposes the fewest days up to today that have all: %s %j, %j",
    (name, asked, [from, to], command) => {
      const refused = createParameterError(
        "days",
        "cannot be 9: this service has lists only of 7 or 30 days",
        {
          allowed: ["7", "30"],
        },
      );
      const texts = new Map(Object.entries(asked).map(([option, text]) => [option, [text]]));
      const explain = () => {
        try {
          return nameList("pages", { from, to, last: "2026-11-20" }, "period")(refused);
        } catch (error) {
          return explainParameters(findQuery(name), error, {
            texts,
            words: [],
            source: ["--profile", "acme"],
          });
        }
      };
      expect(explain()).toMatchObject({
        message:
          "--period cannot be used for pages: this service has lists only of 7 or 30 days up to today.",
        hint: `Nearest: analytics-mcp ${command} --profile acme`,
      });
    },
  );

  describe("mapping", () => {
    it("shows at a terminal where each field is, what is there, and how it was found", async () => {
      const { code, stdout, stderr } = await runShell(["mapping"], {
        environment: access(server),
        isTTY: true,
        columns: 120,
      });
      expect(code).toBe(0);
      expect(stdout).toMatch(/stats +visitors +\/data\/uniqueVisitors +70 +its name/);
      expect(stdout).toMatch(/sites +timezone +\/tz +Europe\/Berlin +its name/);
      expect(stdout).toMatch(/timeseries +date +\/day +2026-11-1\d +its name/);
      expect(stdout).toMatch(/breakdown +value +\/path +\/ +its name/);
      expect(stdout).toMatch(/realtime +visitors +\/data\/activeNow +3 +its name/);
      const said = flat(stderr);
      expect(said).toContain("It has no events.");
      expect(said).toContain(
        "Its lists take no days: there is no description (/openapi.json) that can be read.",
      );
      expect(said).toContain("Requests send the site's id, such as 7.");
      expect(said).not.toContain("timezone: its dates");
      expect(stdout + stderr).not.toContain(DESCRIBED_KEY);
    });

    it("shows the whole pointer beside a long example", async () => {
      const other = await startDescribedService({
        counts: { sum: { uniqueVisitors: 70 } },
        site: { createdAt: "2026-01-01T00:00:00.000Z" },
      });
      const { stdout } = await runShell(["mapping"], {
        environment: access(other),
        isTTY: true,
        columns: 80,
      });
      other.close();
      expect(stdout).toMatch(/stats +visitors +\/data\/sum\/uniqueVisitors +70 +its name/);
    });

    it("prints a file in a pipe that reads the service in the same way", async () => {
      const environment = access(server);
      const { stdout } = await runShell(["mapping"], { environment });
      const mapping = JSON.parse(stdout);
      expect(mapping).toMatchObject({
        site: "id",
        stats: { visitors: "/data/uniqueVisitors", pageviews: "/data/pageViews", events: null },
        timeseries: { list: "/data", date: "/day" },
      });
      // The value of a row has the name of its dimension, so that of another one is elsewhere.
      expect(mapping.breakdown).not.toHaveProperty("value");
      const file = write("whole.json", stdout);
      const again = await runShell(["mapping", "--mapping", file], { environment });
      expect(JSON.parse(again.stdout)).toEqual(mapping);
      const table = await runShell(["mapping", "--mapping", file, "--output", "tsv"], { environment });
      expect(table.stdout).toContain("stats\tvisitors\t/data/uniqueVisitors\t70\tthe mapping");
      expect(await visitors(environment, "--mapping", file)).toBe(70);
    });

    it("prints a file that chooses, and says what else each choice could be", async () => {
      const environment = access(unclear);
      const { code, stdout, stderr } = await runShell(["mapping"], { environment });
      expect(code).toBe(0);
      expect(stdout).toContain(
        '  "stats": {\n    // visitors: proposed, please check. It could also be "/data/distinctVisitors".\n    "visitors": "/data/uniqueVisitors"\n  },\n',
      );
      expect(flat(stderr)).toContain("Two fields of the answer to /stats could be visitors");
      const save = `analytics-mcp login --base-url ${unclear.origin} --mapping service.json`;
      expect(flat(stderr)).toContain(`Choices to check in the file: stats.visitors. Then: ${save} `);
      const file = write("chooses.json", stdout);
      expect(readMapping({ text: stdout, name: file })).toMatchObject({
        stats: { visitors: "/data/uniqueVisitors" },
        realtime: { visitors: "/data/activeNow" },
      });
      expect(await visitors(environment, "--mapping", file)).toBe(70);
      // Programs get the same without comments, and people at a terminal the proposal alone.
      const plain = await runShell(["mapping", "--json"], { environment });
      expect(JSON.parse(plain.stdout)).toEqual(readMapping({ text: stdout, name: file }));
      expect(plain.stderr).toBe(stderr);
      const shown = await runShell(["mapping", "--output", "tsv"], { environment });
      expect(readProposal(shown.stderr)).toEqual({
        mapping: '  {\n    "stats": {"visitors":"/data/uniqueVisitors"}\n  }',
        command: `--base-url ${unclear.origin} --mapping service.json`,
      });
    });

    it("proposes what identifies sites, too, before anything else can be asked", async () => {
      const nameless = await startAnswers({ "/sites": () => [{ place: "Acme", kind: "shop" }] });
      const { stdout, stderr } = await runShell(["mapping"], { environment: access(nameless) });
      nameless.close();
      expect(stdout).toBe(
        '{\n  "sites": {\n    // domain: proposed, please check. It could also be "/kind".\n    "domain": "/place"\n  }\n}\n',
      );
      expect(flat(stderr)).toMatch(
        /Without its sites, nothing else could be asked for\. Choices to check in the file: sites\.domain\. Then: analytics-mcp login /,
      );
    });

    it("leaves a place open in a comment where no number is likely", async () => {
      const other = await startDescribedService({ counts: { 'clicks\n"x': 1, sessions: 3 } });
      const environment = createHome();
      const argv = ["login", "--base-url", other.origin, "--api-key-stdin"];
      const { stderr: said } = await runShell(argv, { environment, stdin: DESCRIBED_KEY });
      expect(said).toContain(
        "Print a mapping file, name the places that it leaves open, and save it:\n  analytics-mcp mapping > service.json\n  analytics-mcp login --mapping service.json\n",
      );
      const { stdout } = await runShell(["mapping"], { environment });
      other.close();
      expect(stdout).toMatch(
        /\n {2}"stats": \{\n {4}\/\/ visitors: left open\. No number in it looks like visitors: [^\n]*\n {4}\/\/ "visitors": "\/place\/of\/visitors",\n {2}\},\n/,
      );
      expect(stdout).not.toContain("…");
      expect(readMapping({ text: stdout, name: "it" })?.stats).toEqual({});
    });

    it("proposes one file for all answers, which works as it is, and keeps what was chosen", async () => {
      const days = (query: URLSearchParams) => listDays(Number(query.get("days") ?? 30));
      const seen = (index: number) => ({ guests_seen: 1, members_seen: 9 + index });
      const club = await startAnswers({
        "/sites": () => [{ code: "club", site_url: "https://club.example/" }],
        "/stats": (query) => ({
          result: { members_seen: 9, guests_seen: 1, views: 40 * days(query).length },
        }),
        "/timeseries": (query) => days(query).map((day) => ({ day, views: 40, ...seen(0) })),
        "/breakdown": () => [{ page: "/", views: 40, ...seen(1) }],
        "/realtime": () => ({ now: 2 }),
      });
      const environment = createHome();
      const stdin = DESCRIBED_KEY;
      const named = ["login", "--base-url", club.origin, "--profile", "club"];
      const { stdout, stderr } = await runShell([...named, "--api-key-stdin"], { environment, stdin });
      expect(flat(stderr)).toContain("It is saved, but 2 of 4 kinds of questions do not work yet");
      // The first day with data would take a request more.
      expect(stdout).toMatch(/^domain\tid\tname\ttimezone\n/);
      const proposal = readProposal(stderr);
      const all = {
        stats: { visitors: "/result/members_seen" },
        timeseries: { visitors: "/members_seen" },
        breakdown: { visitors: "/members_seen" },
      };
      expect(JSON.parse(proposal.mapping)).toEqual(all);
      expect(proposal.command).toBe("--profile club --mapping service.json");
      const ask = ["--profile", "club", "mapping"];
      const printed = await runShell(ask, { environment });
      expect(readMapping({ text: printed.stdout, name: "it" })).toMatchObject(all);
      const inList = printed.stdout.slice(printed.stdout.indexOf('"breakdown"'));
      expect(inList).toMatch(/\/\/ visitors: proposed, please check\. It could also be "\/guests_seen"\.\n/);
      const { checks } = JSON.parse(
        (await runShell(["--profile", "club", "doctor", "--json"], { environment })).stdout,
      );
      expect(checks.find(({ check }: { check: string }) => check === "contract").fix).toContain(
        `save it as service.json: ${JSON.stringify(all)} Then: analytics-mcp login ${proposal.command}`,
      );
      // What was chosen for totals alone is proposed for the lists, too.
      const { breakdown: _, ...some } = all;
      const part = await runShell([...ask, "--mapping", write("some.json", some)], { environment });
      expect(readMapping({ text: part.stdout, name: "it" })).toMatchObject(all);
      expect(part.stderr).toContain("Choices to check in the file: breakdown.visitors. Then:");
      // Until it is saved, lists say that they could have visitors.
      const unread =
        'The mapping does not name "/guests_seen", "/members_seen" of these rows: to have their visitors, add {"breakdown":{"visitors":"/members_seen"}} to it.';
      for (const argv of [["breakdown", "--dimension", "pages"], ["overview"]]) {
        const half = [...argv, "--profile", "club", "--mapping", write("some.json", some)];
        expect((await runShell(half, { environment })).stderr.split(unread)).toHaveLength(2);
        half.push("--mapping", write("all.json", all));
        expect((await runShell(half, { environment })).stderr).not.toContain("does not name");
      }
      const save = ["login", "--profile", "club", "--mapping", write("all.json", proposal.mapping)];
      const saved = await runShell(save, { environment });
      expect(saved.stderr).toContain("breakdown: value from /page, visitors from /members_seen");
      expect(saved.stderr).not.toMatch(/do not work|service\.json/);
      // At a terminal, a yes is enough; nothing is chosen without.
      const typed = async (answer: string) => {
        const home = createHome();
        const answers: [string, string][] = [
          ["API key", `${DESCRIBED_KEY}\r`],
          ["Is it right: yes or no (Enter for no)", answer],
          ["Timezone for its days, which it does not name", "UTC\r"],
        ];
        const { stdout: shown, stderr: said } = await runShell(["login", "--base-url", club.origin], {
          environment: home,
          answers,
          isTTY: true,
        });
        return { shown, said, profile: readProfile(home, "default") };
      };
      const chosen = await typed("yes\r");
      expect(chosen.profile).toMatchObject({ mapping: all, siteTimezones: { "*": "UTC" } });
      expect(chosen.shown).toMatch(/club\.example +UTC/);
      expect(chosen.said).not.toMatch(/do not work|service\.json|--site-timezones/);
      const refused = await typed("\r");
      expect(refused.profile.mapping).toBeUndefined();
      expect(JSON.parse(readProposal(refused.said.replaceAll("\r", "")).mapping)).toEqual(all);
      // What is said of its timezone is the same everywhere, and whole in a narrow terminal.
      const advice =
        "If you know it: analytics-mcp login --profile club --site-timezones club.example=Europe/Berlin";
      const asToday = `names no timezone: its last day is taken as today. ${advice}`;
      expect(flat(saved.stderr)).toContain(asToday);
      const show = async (...argv: string[]) => {
        const shown = { environment: { ...environment, NO_COLOR: "1" }, isTTY: true, columns: 80 };
        const { stdout, stderr } = await runShell([...argv, "--profile", "club"], shown);
        return `${flat(stdout)}${flat(stderr)}`;
      };
      expect(await show("doctor")).toContain(asToday);
      expect(await show("sites")).toContain(`club.example has no timezone. ${advice}`);
      expect(await show("overview")).toMatch(
        new RegExp(`timezone: [-\\d]{10}, its last day, is taken as today\\. ${advice}`),
      );
      club.close();
    });

    it("says what was sent where sites have another id, and the mapping that sends it", async () => {
      const json = { "content-type": "application/json" };
      const list = [{ id: 7, host: "acme.example", ref: "ac-7", plan: "pro" }];
      const stranger = await startServer((request, response) => {
        const { pathname, searchParams } = new URL(request.url ?? "", "http://x");
        const fault = { fault: { text: `No such property\u0007 ${"x".repeat(2_000)}` } };
        if (pathname === "/api/v1/sites") send(response, 200, json, JSON.stringify(list));
        else if (pathname === "/api/v1/stats" && searchParams.get("site") === "ac-7")
          send(response, 200, json, '{"visitors":70,"pageviews":90}');
        else send(response, 404, json, JSON.stringify(fault));
      });
      const environment = access(stranger);
      const login = (...argv: string[]) =>
        runShell(["login", "--base-url", stranger.origin, "--api-key-stdin", ...argv], {
          environment: createHome(),
          stdin: DESCRIBED_KEY,
        });
      const all = await login();
      const said = flat(all.stderr);
      const mapping = '{"sites":{"id":"/ref"},"site":"id"}';
      expect(said).toMatch(/stats: The service says: "No such property x{400,500}…?"/);
      const advice =
        '/sites answers at this address, so either the service has no such path, or it does not know the site by what was sent as `site`: "7", then "acme.example".';
      // Of three questions that fail in the same way, it is said once, and with the mapping where the fourth has it.
      expect(said.split(advice)).toHaveLength(2);
      expect(JSON.parse(readProposal(all.stderr).mapping)).toEqual(JSON.parse(mapping));
      expect(said).not.toMatch(/there is no API|which days|Next:/);
      expect(said).toContain("It is saved, but 4 of 4 kinds of questions do not work yet, as listed above.");
      const doctor = await runShell(["doctor", "--json"], { environment });
      expect(doctor.stdout).toContain("/sites answers at this address");
      const chosen = await login("--mapping", write("ref.json", mapping));
      expect(flat(chosen.stderr)).toContain("It is saved, but 2 of 3 kinds");
      stranger.close();
    });

    it("is not needed for a service whose API is known", async () => {
      const environment = { ...access(server), ANALYTICS_SERVICE: "umami" };
      const { code, stdout, stderr } = await runShell(["mapping"], { environment });
      expect([code, stdout.trim()]).toEqual([0, "{}"]);
      expect(stderr).toContain("Umami has an API of its own");
    });

    it("fails with the key's error for a wrong key", async () => {
      const environment = { ...access(server), ANALYTICS_API_KEY: "another-key-0123456789" };
      const { code, stderr } = await runShell(["mapping"], { environment });
      expect(code).toBe(4);
      expect(stderr).not.toContain("another-key");
    });
  });

  describe("--mapping, ANALYTICS_MAPPING and the profile", () => {
    const unique = { stats: { visitors: "/data/uniqueVisitors" } };
    const distinct = { stats: { visitors: "/data/distinctVisitors" } };

    it("choose, the option before the environment before the profile", async () => {
      const ofEnvironment = { ...access(unclear), ANALYTICS_MAPPING: write("distinct.json", distinct) };
      expect(await visitors(access(unclear))).toContain("could be visitors");
      expect(await visitors(ofEnvironment)).toBe(55);
      expect(await visitors(ofEnvironment, "--mapping", write("unique.json", unique))).toBe(70);
      const profile = { baseUrl: `${unclear.origin}/api/v1`, apiKey: DESCRIBED_KEY, mapping: unique };
      const saved = createHome({ default: profile });
      expect(await visitors(saved)).toBe(70);
      expect(await visitors({ ...saved, ANALYTICS_MAPPING: `${ofEnvironment.ANALYTICS_MAPPING}` })).toBe(55);
      // A profile that is named comes before the environment.
      const argv = ["--profile", "default"];
      expect(
        await visitors({ ...saved, ANALYTICS_MAPPING: `${ofEnvironment.ANALYTICS_MAPPING}` }, ...argv),
      ).toBe(70);
      expect(await visitors(saved, "--mapping", `${ofEnvironment.ANALYTICS_MAPPING}`)).toBe(55);
    });

    it("are not confused by what was learned with another mapping", async () => {
      const environment = access(unclear);
      expect(await visitors(environment, "--mapping", write("unique.json", unique))).toBe(70);
      expect(await visitors(environment, "--mapping", write("distinct.json", distinct))).toBe(55);
    });

    it("are passed on to an assistant's configuration as the file's whole path", async () => {
      const file = write("distinct.json", distinct);
      const environment = { ...access(unclear), ANALYTICS_MAPPING: file };
      const { stdout } = await runShell(["config", "cursor"], { environment });
      expect(stdout).toContain(`"ANALYTICS_MAPPING": ${JSON.stringify(file)}`);
      expect(stdout).not.toContain(DESCRIBED_KEY);
    });

    const text = (name: string) => write("broken.json", name);
    it.each([
      [
        "no JSON",
        () => text('{\n  "stats": {\n    "visitors" "/a"\n  }\n}'),
        "line 3, is not JSON: colon expected",
      ],
      ["an empty file", () => text(""), "line 1, is not JSON: value expected"],
      ["a list", () => text("[]"), "line 1, is no object"],
      ["an unknown operation", () => text('{\n"visits": {}}'), 'line 2, has "visits", which is no field'],
      ...["stats", "timeseries"].map((name): [string, () => string, string] => [
        `no visitors in ${name}`,
        () => text(`{"${name}": {\n"visitors": null}}`),
        `line 2, has a "${name}.visitors" that cannot be null: it is always needed`,
      ]),
      [
        "an unknown field",
        () => text('{"stats": {\n"users": "/a"}}'),
        'line 2, has "users" in "stats", which is no field',
      ],
      [
        "no pointer",
        () => text('{"stats": {\n\n"visitors": "data.users"}}'),
        'line 3, has a "stats.visitors" that must be a JSON Pointer',
      ],
      [
        "another type",
        () => text('{"stats": {"visitors": 3}}'),
        'line 1, has a "stats.visitors" of another type',
      ],
      [
        "another form of sites",
        () => text('{"site": "uuid"}'),
        'line 1, has a "site" that is not one of id, domain, name',
      ],
      ["an unknown dimension", () => text('{"dimensions": {"colour": "c"}}'), "line 1, has"],
      [
        "a field twice",
        () => text('{"stats": {"visitors": "/a",\n"visitors": "/b"}}'),
        'line 2, has "visitors" twice',
      ],
      ["__proto__", () => text('{"__proto__": {"stats": {}}}'), 'line 1, has "__proto__", which is no field'],
      ["no such file", () => join(folder, "none.json"), "cannot be read: it does not exist"],
      ["a folder", () => folder, "cannot be read: it is no file"],
      ["a device", () => "/dev/zero", "cannot be read: it is no file"],
      ["a long file", () => text(" ".repeat(100_001)), "cannot be read: it has more than 100 kB"],
    ])("is refused with %s", async (_, file, message) => {
      const argv = ["stats", "--site", "acme.example", "--mapping", file()];
      const { code, stderr } = await runShell(argv, { environment: access(server), columns: 500 });
      expect([code, flat(stderr)]).toEqual([2, expect.stringContaining(message)]);
    });

    it("may have comments, and chooses nothing when it is empty", async () => {
      expect(await visitors(access(server), "--mapping", write("comment.json", "{ // nothing\n}"))).toBe(70);
    });

    it("has no use for a service whose API is known", async () => {
      const argv = ["stats", "--service", "umami", "--mapping", write("unique.json", unique)];
      const { code, stderr } = await runShell(argv, { environment: access(server) });
      expect([code, flat(stderr)]).toEqual([2, expect.stringContaining("--mapping has no use for umami")]);
    });
  });

  describe("login", () => {
    const login = (environment: Record<string, string>, origin: string, ...argv: string[]) =>
      runShell(["login", "--api-key-stdin", "--base-url", origin, ...argv], {
        environment,
        stdin: DESCRIBED_KEY,
      });

    it("takes a site in any spelling", async () => {
      const environment = createHome();
      const { code } = await login(environment, server.origin, "--site", "https://www.ACME.example/");
      expect([code, readProfile(environment, "default").site]).toEqual([0, "acme.example"]);
    });

    it("says of a service without sites that nothing can be asked", async () => {
      const json = { "content-type": "application/json" };
      const empty = await startServer(({ url }, response) =>
        send(response, url?.endsWith("/sites") ? 200 : 404, json, '{"data": []}'),
      );
      const { code, stderr } = await login(createHome(), empty.origin);
      empty.close();
      expect([code, flat(stderr)]).toEqual([
        0,
        expect.stringContaining("The service has no website that this key may see, so nothing can be asked"),
      ]);
      expect(stderr).not.toContain("field names are read");
    });

    it("saves the service, and says what is read as what", async () => {
      const environment = createHome();
      const { code, stdout, stderr } = await login(environment, server.origin);
      expect([code, stdout]).toEqual([0, expect.stringContaining("acme.example")]);
      const said = flat(stderr);
      expect(said).toContain("This is how the service's own field names are read:");
      // Lines of a list, which a terminal does not break within a word.
      expect(stderr).toContain(
        "\n- stats: visitors from /data/uniqueVisitors, pageviews from /data/pageViews\n",
      );
      expect(said).toContain("It has no events.");
      expect(readProfile(environment, "default").mapping).toBeUndefined();
      expect(stdout + stderr).not.toContain(DESCRIBED_KEY);
      const who = await runShell(["whoami", "--json"], { environment });
      expect(JSON.parse(who.stdout)).toMatchObject({
        mapping: null,
        sites: ["acme.example", "shop.acme.example"],
      });
    });

    it("keeps the mapping's content in the profile, also at the next login", async () => {
      const environment = createHome();
      const file = write("chosen.json", '{ // ours\n "stats": {"visitors": "/data/distinctVisitors"} }');
      await login(environment, unclear.origin, "--mapping", file);
      const mapping = { stats: { visitors: "/data/distinctVisitors" } };
      expect(readProfile(environment, "default").mapping).toEqual(mapping);
      expect(await visitors(environment)).toBe(55);
      await login(environment, unclear.origin);
      expect(readProfile(environment, "default").mapping).toEqual(mapping);
      await login(environment, unclear.origin, "--mapping", write("none.json", "{}"));
      expect(readProfile(environment, "default").mapping).toBeUndefined();
    });

    it.each([
      ["--mapping", { siteTimezones: undefined }],
      ["--site-timezones", { mapping: undefined }],
    ])("keeps address and key of the profile where only %s is given", async (option, rest) => {
      const environment = createHome();
      const first = await login(environment, unclear.origin, "--profile", "two", "--site", "acme.example");
      expect(flat(first.stderr)).toContain(
        "analytics-mcp login --profile two --site-timezones acme.example=",
      );
      const before = readProfile(environment, "two");
      const value = option === "--mapping" ? write("two.json", { stats: { events: null } }) : "UTC";
      const { code } = await runShell(["login", "--profile", "two", option, value], { environment });
      const changed =
        option === "--mapping" ? { mapping: { stats: { events: null } } } : { siteTimezones: { "*": "UTC" } };
      expect([code, readProfile(environment, "two")]).toEqual([3, { ...before, ...rest, ...changed }]);
    });

    it("proposes the line of a mapping where something is unclear", async () => {
      const environment = createHome();
      const { code, stderr } = await login(environment, unclear.origin);
      expect(code).toBe(3);
      // It is saved: the exit code tells a script.
      expect(JSON.parse((await login(environment, unclear.origin, "--json")).stdout).profile).toBe("default");
      expect((await login(environment, unclear.origin, "--json")).code).toBe(3);
      expect(JSON.parse(readProposal(stderr).mapping)).toEqual({
        stats: { visitors: "/data/uniqueVisitors" },
      });
    });

    it("takes the timezone of a service that names none", async () => {
      const environment = createHome();
      const given = [
        "--site-timezones",
        "Asia/Tokyo",
        "--mapping",
        write("choice.json", { stats: { visitors: "/data/uniqueVisitors" } }),
      ];
      const { stderr } = await login(environment, unclear.origin, ...given);
      expect(flat(stderr)).not.toContain("It names no timezone");
      expect((await runShell(["whoami"], { environment })).stdout).toContain("timezones\tAsia/Tokyo\t\n");
      const asked = await runShell(["stats", "--site", "acme.example", "--days", "7", "--json"], {
        environment,
      });
      expect(JSON.parse(asked.stdout).period.timezone).toBe("Asia/Tokyo");
    });

    it("leaves a timezone that the service names as it is", async () => {
      const environment = createHome();
      await login(environment, server.origin, "--site-timezones", "acme.example=Asia/Tokyo");
      const asked = await runShell(["stats", "--site", "acme.example", "--days", "7", "--json"], {
        environment,
      });
      expect(JSON.parse(asked.stdout).period.timezone).toBe("Europe/Berlin");
    });
  });

  describe("doctor", () => {
    const contract = async (environment: Record<string, string>) => {
      const { stdout } = await runShell(["doctor", "--json"], { environment });
      return JSON.parse(stdout).checks.find(({ check }: { check: string }) => check === "contract");
    };

    it("says that it reads the service by its own words, and what it lacks, in a row that fits", async () => {
      const { status, detail, fix } = await contract(access(server));
      expect([status, fix]).toEqual(["ok", null]);
      expect(detail).toContain("reads its own field names");
      expect(detail).toContain("It has no events.");
      expect(detail).not.toContain("/data/uniqueVisitors");
    });

    it("ends what the service says with one full stop", async () => {
      const wrong = { ...access(server), ANALYTICS_API_KEY: "key-of-somebody-else" };
      const { stdout, stderr } = await runShell(["doctor"], { environment: wrong, isTTY: true });
      expect(flat(stdout + stderr)).toContain('access: The service says: "Bad key." Check ANALYTICS_API_KEY');
    });

    it("gives the line of a mapping for what is unclear, and no operator to tell", async () => {
      const { status, detail, fix } = await contract(access(unclear));
      expect([status, detail]).toEqual(["warning", expect.stringContaining("could be visitors")]);
      expect(fix).toContain('{"stats":{"visitors":"/data/uniqueVisitors"}}');
      expect(fix).not.toContain("operator");
    });
  });

  describe("of the contract", () => {
    let reference: FaultyServer;
    beforeAll(async () => {
      reference = await startServer(async (request, response) => {
        const { status, headers, body } = await answerRightly(request);
        send(response, status, headers, body);
      });
    });
    afterAll(() => reference.close());
    const key = "demo-key-of-acme";

    it("needs no mapping, and is not asked twice to find out", async () => {
      const environment = { ...access(reference), ANALYTICS_API_KEY: key };
      const before = reference.requests.length;
      const { code, stdout, stderr } = await runShell(["mapping"], { environment });
      expect([code, stdout.trim()]).toEqual([0, "{}"]);
      expect(flat(stderr)).toContain("This service keeps the contract: it needs no mapping.");
      expect(reference.requests.slice(before).map(({ url }) => url)).toEqual(["/api/v1/sites"]);
    });

    it("is not needed by what this program reads itself", async () => {
      const { code, stdout, stderr } = await runShell(["mapping", "--demo"], { environment: createHome() });
      expect([code, stdout.trim(), stderr]).toEqual([
        0,
        "{}",
        "This program reads made-up data by itself: it needs no mapping.\n",
      ]);
    });

    it("is refused with one", async () => {
      const environment = { ...access(reference), ANALYTICS_API_KEY: key };
      const argv = ["stats", "--site", "example.com", "--mapping", write("none-needed.json", { site: "id" })];
      const { code, stderr } = await runShell(argv, { environment });
      expect([code, flat(stderr)]).toEqual([2, expect.stringContaining("this service keeps the contract")]);
    });

    it("tells its timezones itself, so login takes none", async () => {
      const environment = createHome();
      const argv = ["login", "--api-key-stdin", "--base-url", reference.origin];
      const { code, stderr } = await runShell([...argv, "--site-timezones", "Asia/Tokyo"], {
        environment,
        stdin: key,
      });
      expect([code, flat(stderr)]).toEqual([2, expect.stringContaining("--site-timezones is not needed")]);
      const before = reference.requests.length;
      expect((await runShell(argv, { environment, stdin: key })).code).toBe(0);
      expect(reference.requests.slice(before).map(({ url }) => url)).toEqual(["/api/v1/sites"]);
      expect(readProfile(environment, "default").siteTimezones).toBeUndefined();
    });
  });

  it("is not used with a profile whose mapping is no object", async () => {
    const environment = createHome();
    const file = join(environment.XDG_CONFIG_HOME, "analytics-mcp", "profiles", "default.json");
    mkdirSync(join(file, ".."), { recursive: true });
    writeFileSync(file, JSON.stringify({ baseUrl: server.origin, apiKey: DESCRIBED_KEY, mapping: ["a"] }));
    expect(await visitors(environment)).toContain("its file is damaged");
  });
});
