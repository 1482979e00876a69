import { http } from "msw";
import PostalMime from "postal-mime";
import { describe, expect, it } from "vitest";
import { HOSTILE, spoilNames } from "../support/hostile-names.ts";
import { BASE, fakeNetwork, service } from "../support/network.ts";
import { runShell } from "../support/shell.ts";

const { network, api } = fakeNetwork();

async function writeMail(words: string, environment: Record<string, string> = {}) {
  const { code, stdout, stderr } = await runShell(["report", ...words.split(" ")], {
    environment: { ...service, ...environment },
  });
  expect([code, stderr]).toEqual([0, ""]);
  return { raw: stdout, mail: await PostalMime.parse(stdout) };
}

const WEEK = "example.com --period last-week --mail you@example.com";

describe("a report as a mail", () => {
  it("says in its subject whose numbers it has, and has them as text and as a page", async () => {
    const { raw, mail } = await writeMail(WEEK);
    const { stdout } = await runShell(["overview", "example.com", "--period", "last-week", "--json"], {
      environment: service,
    });
    const { visitors, comparison, top } = JSON.parse(stdout);
    const count = visitors.toLocaleString("en");
    expect(mail.subject).toBe(
      `example.com, 2026-11-09 to 2026-11-15: ${count} visitors (${comparison.visitors.percent}%)`,
    );
    expect(mail.to).toEqual([{ address: "you@example.com", name: "" }]);
    expect([mail.date, mail.headers.find(({ key }) => key === "auto-submitted")?.value]).toEqual([
      "2026-11-21T04:05:10.000Z",
      "auto-generated",
    ]);
    const pages = top.find(({ dimension }: { dimension: string }) => dimension === "pages").rows;
    for (const text of [mail.text, mail.html]) {
      for (const part of [count, "2026-11-02 to 2026-11-08", pages[0].label, "Made with analytics-mcp 1.2.3"])
        expect(text?.replaceAll("\n", " ")).toContain(part);
    }
    // From is for the program that sends it, and a line that ends in CRLF is for SMTP.
    expect(raw).not.toMatch(/^From:|\r/m);
    expect(Math.max(...(mail.text ?? "").split("\n").map((line) => line.length))).toBeLessThan(90);
  });

  it("takes several addresses, names and other languages", async () => {
    const { raw, mail } = await writeMail(
      "example.com --period last-week --mail Größe<a@example.com>,b@example.com",
      { LANG: "de_DE.UTF-8" },
    );
    expect(mail.to).toEqual([
      { address: "a@example.com", name: "Größe" },
      { address: "b@example.com", name: "" },
    ]);
    expect(mail.subject).toMatch(/: \d\.\d{3} visitors \(-?\d+,\d %\)$/);
    expect(raw).toMatch(/^[\x20-\x7e\n]*$/);
  });

  it("of days without data is a sentence", async () => {
    const { mail } = await writeMail("parked.example --period last-week --mail you@example.com");
    expect(mail.subject).toBe("parked.example, 2026-11-09 to 2026-11-15");
    for (const text of [mail.text, mail.html]) expect(text).toContain("nothing was ever recorded");
  });

  it.each(["last-week", "last-month", "2026", "yesterday", "today", "last-180-days"])(
    "of %s is short: at most 25 lines as text, and 12 kB with the page",
    async (period) => {
      const { raw, mail } = await writeMail(`example.com --period ${period} --mail you@example.com`);
      expect(mail.text?.trimEnd().split("\n").length).toBeLessThanOrEqual(25);
      expect(raw.length).toBeLessThanOrEqual(12_000);
    },
  );

  it("loads nothing, and makes neither markup nor links of what visitors wrote", async () => {
    network.use(http.all(`${BASE}/*`, async ({ request }) => spoilNames(request, await api(request))));
    const { raw, mail } = await writeMail(WEEK);
    expect(mail.attachments).toEqual([]);
    const html = mail.html ?? "";
    expect(html).not.toMatch(/<(?:script|img|link|b|iframe)\b|<[^>]*\b(?:href|src)=|url\(|@import/);
    // A mail program makes no link of what is in an anchor already.
    const addresses = [...html.matchAll(/https:|www\./g)].map(({ index }) => html.slice(0, index));
    expect(addresses.length).toBeGreaterThan(2);
    for (const before of addresses) expect(before).toMatch(/<a>[^<]*$/);
    for (const text of HOSTILE.filter((each) => each.includes("<"))) expect(html).not.toContain(text);
    expect(raw.replaceAll("\n", "")).not.toMatch(/[\p{Cc}\p{Cf}]/u);
  });
});

describe("what is no mail", () => {
  it.each([
    ["--mail you", "--mail needs an address"],
    ["--mail you@example.com,nobody", "--mail needs an address"],
    ["--mail you@example.com\nBcc:x@example.com", "--mail needs an address"],
    ["--mail you@example.com -o week.html", "--out cannot be combined with --mail"],
    ["--mail you@example.com --open", "--open cannot be combined with --mail"],
  ])("%j is refused", async (words, message) => {
    const argv = ["report", "example.com", "--period", "last-week", ...words.split(" ")];
    const { code, stdout, stderr } = await runShell(argv, { environment: service });
    expect([code, stdout, stderr]).toEqual([2, "", expect.stringContaining(message)]);
  });
});
