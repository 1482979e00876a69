import { once } from "node:events";
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import type { Browser } from "playwright-core";
import PostalMime from "postal-mime";
import { SMTPServer } from "smtp-server";
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from "vitest";
import { type Listening, listen } from "../../src/api/listen.ts";
import { createTestApi, DEMO_KEY, toResponse } from "../support/api.ts";
import { CHROMIUM, launch } from "../support/browser.ts";
import { execFile } from "../support/child-process.js";
import { spoilNames } from "../support/hostile-names.ts";
import { findProgram } from "../support/processes.ts";

const { bin } = inject("installed");
const page = readFileSync("docs/scheduled.md", "utf8");
const sectionOf = (title: string) =>
  page.split(/^##+ /m).find((section) => section.startsWith(`${title}\n`)) ?? "";
const fencesOf = (title: string, language = "") =>
  [...sectionOf(title).matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)]
    .filter(([, name]) => name === language)
    .map(([, , text = ""]) => text);

const MSMTP = findProgram("msmtp");
const JQ = findProgram("jq");
const CURL = findProgram("curl");
const SYSTEMD = findProgram("systemd-analyze");

/** A home with the programs that the page's commands name. */
const home = mkdtempSync(join(tmpdir(), "scheduled-"));
const programs = join(home, "bin");
let service: Listening;
const environment: Record<string, string> = {};

beforeAll(async () => {
  mkdirSync(programs);
  symlinkSync(bin, join(programs, "analytics-mcp"));
  const { reference } = createTestApi();
  // Visitors have sent what they could.
  service = await listen(
    async (request) => {
      const answer = await reference(request);
      if (answer.status !== 200) return answer;
      const spoilt = await spoilNames(new Request(request.url), toResponse(answer));
      return { ...answer, body: await spoilt.text() };
    },
    "127.0.0.1",
    0,
  );
  Object.assign(environment, {
    HOME: home,
    PATH: `${programs}:/usr/local/bin:/usr/bin:/bin`,
    ANALYTICS_BASE_URL: service.origin,
    ANALYTICS_API_KEY: DEMO_KEY,
    ANALYTICS_SITE: "example.com",
    MAIL_TO: "team@example.com",
  });
});
afterAll(async () => {
  await service.close();
  rmSync(home, { recursive: true });
});

/** Runs a line as cron and systemd do: by a plain shell, without a terminal. */
async function runLine(line: string, more: Record<string, string> = {}) {
  const options = { env: { ...environment, ...more }, cwd: home };
  const run = execFile("/bin/sh", ["-c", line], options);
  return run.then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    ({ code, stdout, stderr }) => ({ code: code as number, stdout, stderr }),
  );
}

describe.skipIf(!MSMTP)("by mail (msmtp)", () => {
  const received: { from: string; to: string[]; raw: Buffer }[] = [];
  let smtp: SMTPServer;
  let browser: Browser | undefined;

  beforeAll(async () => {
    smtp = new SMTPServer({
      disabledCommands: ["AUTH", "STARTTLS"],
      onData: async (stream, { envelope }, done) => {
        const from = envelope.mailFrom === false ? "" : envelope.mailFrom.address;
        received.push({ from, to: envelope.rcptTo.map(({ address }) => address), raw: await buffer(stream) });
        done();
      },
    });
    smtp.listen(0, "127.0.0.1");
    await once(smtp.server, "listening");
    const { port } = smtp.server.address() as AddressInfo;
    // The account of the page, with this server in place of the reader's.
    const [account = ""] = fencesOf("A report by mail");
    const settings = account
      .replace("smtp.example.com", "127.0.0.1")
      .replace("587", String(port))
      .replace(/(auth|tls) on/g, "$1 off");
    expect(settings).not.toBe(account);
    writeFileSync(join(home, ".msmtprc"), settings, { mode: 0o600 });
    // As Debian's package msmtp-mta does.
    symlinkSync(MSMTP ?? "", join(programs, "sendmail"));
    if (CHROMIUM) browser = await launch();
  });
  afterEach(() => received.splice(0));
  afterAll(async () => {
    await browser?.close();
    await new Promise<void>((resolve) => smtp.close(resolve));
  });

  const commands = fencesOf("A report by mail", "sh").flatMap((text) => text.trim().split("\n"));
  const jobs = fencesOf("By cron").flatMap((text) => text.trim().split("\n").slice(1));

  it.each(commands)("%s", async (line) => {
    expect(await runLine(line)).toEqual({ code: 0, stdout: "", stderr: "" });
    const [{ from, to, raw } = { from: "", to: [], raw: Buffer.of() }] = received;
    expect([from, to[0]]).toEqual(["reports@example.com", "you@example.com"]);
    const mail = await PostalMime.parse(raw);
    expect([mail.from?.address, mail.to?.[0]?.address]).toEqual([from, to[0]]);
    expect(mail.subject).toMatch(/^example\.com, .* visitors/);
  });

  it("without a report, none is sent, and the job fails", async () => {
    const { code, stderr } = await runLine(commands[0] ?? "", { ANALYTICS_API_KEY: "wrong" });
    expect([code === 0, stderr.split("\n")[0], received]).toEqual([
      false,
      expect.stringMatching(/^error: /),
      [],
    ]);
  });

  it("the crontab's jobs run, and say nothing unless something was found", async () => {
    expect(jobs).toHaveLength(2);
    for (const job of jobs) {
      const [, when, line = ""] = /^((?:\S+ ){4}\S+) +(.*)$/.exec(job) ?? [];
      expect([when, line]).toEqual([
        expect.stringMatching(/^\d+ \d+ \* \* [1*]$/),
        expect.not.stringContaining("%"),
      ]);
      const { code, stdout } = await runLine(line);
      expect(code).toBe(line.includes(" check ") && stdout !== "" ? 7 : 0);
    }
    expect(received.map(({ to }) => to)).toEqual([["team@example.com"]]);
  });

  /** The command of a unit, as systemd gives it to the shell. */
  const readExecStart = (unit: string) => {
    const [, line = ""] =
      /^ExecStart=\/bin\/sh -c '(.*)'$/m.exec(readFileSync(`deploy/${unit}`, "utf8")) ?? [];
    return line.replaceAll("$$", "$").replaceAll("%%", "%").replaceAll("\\\\", "\\");
  };

  it("the report's unit sends it", async () => {
    expect(await runLine(readExecStart("analytics-report.service"))).toEqual({
      code: 0,
      stdout: "",
      stderr: "",
    });
    expect(received.map(({ to }) => to)).toEqual([["team@example.com"]]);
  });

  it("the check's unit sends what was found, nothing else, and fails where the check fails", async () => {
    const line = readExecStart("analytics-check.service");
    const quiet = line.replace("--unusual --dead-links 10", "--below 1");
    expect(quiet).not.toBe(line);
    expect([(await runLine(quiet)).code, received]).toEqual([0, []]);
    expect((await runLine(line, { ANALYTICS_API_KEY: "wrong" })).code).toBe(4);
    expect(received).toEqual([]);
    const { code } = await runLine(line.replace("--unusual --dead-links 10", "--above 1 --dead-links 1"));
    expect([code, received.length]).toEqual([0, 1]);
    const { subject, text, html } = await PostalMime.parse(received[0]?.raw ?? "");
    expect([subject, html]).toEqual(["analytics-mcp check", undefined]);
    expect(text).toMatch(
      /^example\.com had [\d,]+ visitors on .*: above 1\.\nexample\.com had \d+ dead links on /,
    );
  });

  it.skipIf(!CHROMIUM)(
    "a mail fits 600 pixels and a phone, without loading or running anything (Chromium)",
    async () => {
      await runLine(commands[0] ?? "");
      const { html = "" } = await PostalMime.parse(received[0]?.raw ?? "");
      const shown = await browser?.newPage();
      if (shown === undefined) return;
      const requests: string[] = [];
      shown.on("request", (request) => requests.push(request.url()));
      for (const width of [600, 375]) {
        await shown.setViewportSize({ width, height: 900 });
        await shown.setContent(html);
        const found = (await shown.evaluate(`({
        width: document.documentElement.scrollWidth,
        bars: [...document.querySelectorAll(".chart div")].map((bar) => bar.getBoundingClientRect().height),
        links: document.querySelectorAll("a[href], script, img, iframe").length,
      })`)) as { width: number; bars: number[]; links: number };
        expect([found.width, found.links]).toEqual([width, 0]);
        // The highest day has the full height.
        expect([found.bars.length, Math.max(...found.bars)]).toEqual([7, 90]);
      }
      await shown.close();
      expect(requests).toEqual([]);
    },
  );
});

describe.skipIf(!JQ || !CURL)("in a chat (jq, curl)", () => {
  const received: { type: string; body: string }[] = [];
  let chat: Server;

  beforeAll(async () => {
    chat = createServer(async (request, response) => {
      received.push({ type: request.headers["content-type"] ?? "", body: String(await buffer(request)) });
      response.end("ok");
    }).listen(0, "127.0.0.1");
    await once(chat, "listening");
    const { port } = chat.address() as AddressInfo;
    for (const name of ["SLACK", "DISCORD", "TEAMS", "MATTERMOST"])
      environment[`${name}_WEBHOOK`] = `http://127.0.0.1:${port}/${name}`;
  });
  afterEach(() => received.splice(0));
  afterAll(() => {
    chat.close();
  });

  const commands = fencesOf("In a chat", "sh").flatMap((text) => text.trim().split("\n\n"));
  const send = async (start: string, more = {}) => {
    const line = commands.find((command) => command.startsWith(start)) ?? "";
    expect(line).not.toBe("");
    const { code, stderr } = await runLine(line, more);
    return { code, stderr, message: received.length === 1 ? received[0]?.body : undefined };
  };
  const HEADLINE = /^example\.com, \d{4}-\d\d-\d\d to /;

  it("the page has five, and each posts nothing if it fails", async () => {
    expect(commands.map((command) => command.split(/[,\n]/)[0])).toEqual([
      ...["# Slack", "# Discord", "# Teams", "# Mattermost", "# Discord"],
      "text=$(analytics-mcp check example.com --below 1000000)",
    ]);
    const failed = await Promise.all(
      commands.map((command) => runLine(command, { ANALYTICS_API_KEY: "wrong" })),
    );
    expect(failed.map(({ code }) => code)).not.toContain(0);
    expect(received).toEqual([]);
  });

  it("Slack gets code that no name ends, and no markup", async () => {
    const { code, message = "{}" } = await send("# Slack");
    const { text } = JSON.parse(message);
    expect([code, text.split("```").length]).toEqual([0, 3]);
    expect(text.slice(4)).toMatch(HEADLINE);
    expect(text).not.toMatch(/<|&(?!amp;|lt;)/);
    expect(text.split("```")[1]).not.toContain("`");
  });

  it("Discord gets as much as fits, and notifies nobody", async () => {
    const { code, message = "{}" } = await send("# Discord, at most");
    const { content, allowed_mentions } = JSON.parse(message);
    expect([code, content.split("```").length, allowed_mentions]).toEqual([0, 3, { parse: [] }]);
    expect(content.length).toBeLessThanOrEqual(2_000);
    expect(content.slice(4)).toMatch(HEADLINE);
  });

  it("Teams gets an adaptive card of plain text", async () => {
    const { code, message = "{}" } = await send("# Teams");
    const { type, attachments } = JSON.parse(message);
    const [{ contentType, content }] = attachments;
    expect([code, type, contentType, content.type]).toEqual([
      ...[0, "message", "application/vnd.microsoft.card.adaptive", "AdaptiveCard"],
    ]);
    const { inlines } = content.body[0];
    expect(inlines[0].text).toMatch(HEADLINE);
    expect(inlines.length).toBeGreaterThan(10);
  });

  it("Mattermost gets Markdown", async () => {
    const { code, message = "{}" } = await send("# Mattermost");
    const { text } = JSON.parse(message);
    expect([code, text]).toEqual([0, expect.stringMatching(/^\*\*example\.com, /)]);
    expect(text).toContain("\n| visitors | ");
  });

  it("Discord gets the report as a file", async () => {
    const { code, message = "" } = await send("# Discord, with");
    expect([code, received[0]?.type]).toEqual([0, expect.stringMatching(/^multipart\/form-data/)]);
    expect(message).toContain('{"content": "Last week"}');
    expect(message).toContain('filename="week.html"');
    expect(message).toContain("</html>");
    expect(readdirSync(home)).toContain("week.html");
  });

  it("a check posts what it found", async () => {
    const { code, message = "{}" } = await send("text=$(analytics-mcp check");
    expect([code, JSON.parse(message).text]).toEqual([0, expect.stringMatching(/: below 1,000,000\.$/)]);
  });
});

it.skipIf(!SYSTEMD)(
  "systemd accepts the timers and their services, and knows when they are due",
  async () => {
    const folder = mkdtempSync(join(tmpdir(), "units-"));
    const units = readdirSync("deploy").filter((name) => /\.(?:service|timer)$/.test(name));
    for (const unit of units) writeFileSync(join(folder, unit), readFileSync(`deploy/${unit}`));
    const files = units.map((unit) => join(folder, unit));
    const { stderr } = await execFile(SYSTEMD ?? "", ["verify", "--man=no", ...files]);
    expect([units.length, stderr]).toEqual([5, ""]);
    for (const unit of units.filter((name) => name.endsWith(".timer"))) {
      const [, calendar = ""] = /^OnCalendar=(.*)$/m.exec(readFileSync(`deploy/${unit}`, "utf8")) ?? [];
      const { stdout } = await execFile(SYSTEMD ?? "", ["calendar", "--base-time=2026-11-21", calendar]);
      const next = unit.includes("report") ? "Mon 2026-11-23 07:30" : "Sat 2026-11-21 07:15";
      expect(stdout).toContain(`Next elapse: ${next}`);
    }
    rmSync(folder, { recursive: true });
  },
);
