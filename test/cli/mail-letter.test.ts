import PostalMime from "postal-mime";
import { describe, expect, it } from "vitest";
import { combined, createLogFolder, joinLines, LOG_NOW } from "../support/logs.ts";
import { runShell } from "../support/shell.ts";

const DAY = 86_400_000;
/** The first moment of last week, a Monday. */
const WEEK = Date.parse("2026-11-09T00:00:00Z");

interface Visits {
  count: number;
  referrer?: string;
  target?: string;
  status?: number;
}

/** Visits of different people, spread over the days of a week that begins at a moment. */
const visit = (monday: number, { count, ...request }: Visits) =>
  Array.from({ length: count }, (_, index) =>
    combined({
      ...request,
      at: monday + (index % 7) * DAY + Math.floor(index / 7) * 60_000 + 3_600_000,
      address: `192.${request.referrer ? 1 : 0}.${Math.floor(index / 250)}.${index % 250}`,
    }),
  );

/** The mail of last week, by the visits of last week and of the week before. */
async function writeLetter(week: Visits[], before: Visits[], start: Visits[] = [{ count: 7 }]) {
  const lines = [
    ...start.flatMap((visits) => visit(WEEK - 14 * DAY, visits)),
    ...before.flatMap((visits) => visit(WEEK - 7 * DAY, visits)),
    ...week.flatMap((visits) => visit(WEEK, visits)),
    ...visit(WEEK + 7 * DAY, { count: 6 }).slice(0, 5),
  ];
  const log = createLogFolder({ "access.log": joinLines(...lines.toSorted(byTime)) }).path("access.log");
  const words = "report example.com --period last-week --mail you@example.com --logs";
  const { stdout, stderr, code } = await runShell([...words.split(" "), log], {
    clock: () => LOG_NOW,
    environment: { TZ: "UTC" },
  });
  expect([code, stderr]).toEqual([0, ""]);
  const { subject = "", text = "", html = "" } = await PostalMime.parse(stdout);
  return { subject, text: text.replaceAll("\n", " "), html };
}

const timeOf = (line: string) => {
  const [, day, month, year, clock] = /\[(\d+)\/(\w+)\/(\d+):([\d:]+) /.exec(line) ?? [];
  return Date.parse(`${day} ${month} ${year} ${clock} GMT`);
};
const byTime = (a: string, b: string) => timeOf(a) - timeOf(b);

describe("a letter about small numbers", () => {
  it("has no percentage, and says that the difference may be chance", async () => {
    const { subject, text, html } = await writeLetter([{ count: 12 }], [{ count: 13 }]);
    expect(subject).toBe("example.com, 2026-11-09 to 2026-11-15: 12 visitors (13 before; small sample)");
    expect(text).toContain(
      "12 visitors, and 13 from 2026-11-02 to 2026-11-08. With so few visitors, the difference may be due to chance.",
    );
    for (const each of [subject, text, html.replace(/<style>.*<\/style>/s, "")])
      expect(each).not.toMatch(/-?7\.7/);
  });

  it("names a change that may be chance so, without a percentage in the subject", async () => {
    const { subject, text } = await writeLetter([{ count: 210 }], [{ count: 200 }]);
    expect(subject).toMatch(/: 210 visitors \(200 before\)$/);
    expect(text).toContain(
      "210 visitors, 5.0% more than the 200 from 2026-11-02 to 2026-11-08, which may be chance.",
    );
    // Nothing moved, so it has the first rows.
    expect(text).toContain("top pages");
  });
});

describe("a letter about a change", () => {
  it("names the source that brought most of it", async () => {
    const news = { referrer: "https://news.example/item" };
    const { subject, text } = await writeLetter(
      [{ count: 200 }, { count: 420, ...news, target: "/launch" }],
      [{ count: 210 }],
    );
    expect(subject).toMatch(/ \(\+\d+\.\d%\)$/);
    expect(text).toMatch(/Most of the rise is one source: "news\.example" sent 420, before 0\./);
    expect(text).toContain("moved: pages");
  });

  it("names no source if those without a referrer changed", async () => {
    const { text } = await writeLetter([{ count: 700 }], [{ count: 200 }]);
    expect(text).toContain("more than the 200 from");
    expect(text).not.toContain("one source");
  });
});

describe("dead links in a letter", () => {
  const gone = { count: 4, target: "/gone", status: 404 };
  const old = { count: 9, target: "/old", status: 404 };

  it("are those that nobody asked for in the days before", async () => {
    const { text, html } = await writeLetter([{ count: 300 }, gone, old], [{ count: 300 }, old]);
    expect(text).toMatch(/new dead links .*\/gone +4/);
    for (const each of [text, html]) expect(each).not.toContain("/old");
  });

  it("are not new where the days before have no data", async () => {
    const { text } = await writeLetter([{ count: 300 }, gone], [], []);
    expect(text).not.toContain("dead links");
    expect(text).toContain("300 visitors. They are not compared with those from 2026-11-02 to 2026-11-08.");
    expect(text).toMatch(/measure +current page views/);
  });
});
