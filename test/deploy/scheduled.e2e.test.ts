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
import PostalMime from "postal-mime";
import { SMTPServer } from "smtp-server";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Listening, listen } from "../../src/api/listen.ts";
import { createTestApi, DEMO_KEY, toResponse } from "../support/api.ts";
import { execFile } from "../support/child-process.js";
import { HOSTILE, MENTIONS, spoilNames } from "../support/hostile-names.ts";
import { installed } from "../support/installed-package.ts";
import { combined, createLogFolder, joinLines } from "../support/logs.ts";
import { newestNode } from "../support/other-nodes.ts";
import { findProgram } from "../support/processes.ts";
import { IS_LONG } from "../support/seed.ts";

const { bin } = installed;
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
/** What visitors have sent. */
let names = HOSTILE;
afterEach(() => {
  names = HOSTILE;
});

/** All names, in the first five rows of each list of an overview: `spoilNames` gives each list the first of its own. */
const LISTS = ["pages", "referrers", "countries"];
const rotate = (sent: string[], dimension: string | null) =>
  sent === MENTIONS ? sent.slice(4 * Math.max(LISTS.indexOf(dimension ?? ""), 0)) : sent;

/** A sentence of a check names three paths. */
const mentions = [0, 3, 6, 9].map((index) => [MENTIONS.slice(index, index + 3)] as const);
const [MENTION, MARKUP, QUOTE, LINE] = [0, 1, 2, 3];
/** Those that could harm there: each way gives the same sentence to something else. */
const harmful = (...kinds: number[]) =>
  IS_LONG ? mentions : mentions.filter((_, index) => kinds.includes(index));

/** The sentence of a check about these names, each as its path and as its referrer. */
function expectSentence(text: string, sent: readonly string[]): void {
  expect(text).toMatch(
    /^example\.com had \d+ dead links on [^"]*(?:"[^"]*" \(\d+ requests?, most from "[^"]*"\), )+and \d+ more\.$/,
  );
  const quoted = [...text.matchAll(/"[^"]*"/g)].map(([each]): unknown => JSON.parse(each));
  expect(quoted).toEqual(sent.flatMap((name) => [name, name]));
}

beforeAll(async () => {
  mkdirSync(programs);
  symlinkSync(bin, join(programs, "analytics-mcp"));
  // The shell and its words are the same under each Node. The newest starts in half the time.
  symlinkSync(newestNode, join(programs, "node"));
  const { reference } = createTestApi();
  service = await listen(
    async (request) => {
      const answer = await reference(request);
      if (answer.status !== 200) return answer;
      const ofList = rotate(names, new URL(request.url).searchParams.get("dimension"));
      const spoilt = await spoilNames(new Request(request.url), toResponse(answer), ofList);
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
  });
  afterEach(() => received.splice(0));
  afterAll(async () => {
    await new Promise<void>((resolve) => smtp.close(resolve));
  });

  const commands = fencesOf("A report by mail", "sh").flatMap((text) => text.trim().split("\n"));
  const jobs = fencesOf("By cron").flatMap((text) => text.trim().split("\n").slice(1));

  /** The command of a unit, as systemd gives it to the shell. */
  const readExecStart = (unit: string) => {
    const [, line = ""] =
      /^ExecStart=\/bin\/sh -c '(.*)'$/m.exec(readFileSync(`deploy/${unit}`, "utf8")) ?? [];
    return line.replaceAll("$$", "$").replaceAll("%%", "%").replaceAll("\\\\", "\\");
  };

  it.each(commands)("%s", async (line) => {
    expect(await runLine(line)).toEqual({ code: 0, stdout: "", stderr: "" });
    const [{ from, to, raw } = { from: "", to: [], raw: Buffer.of() }] = received;
    expect([from, to[0]]).toEqual(["reports@example.com", "you@example.com"]);
    const mail = await PostalMime.parse(raw);
    expect([mail.from?.address, mail.to?.[0]?.address]).toEqual([from, to[0]]);
    expect(mail.subject).toMatch(/^example\.com, .* visitors/);
  });

  it.each(harmful(QUOTE, LINE))("the check's unit sends a sentence that no name ends: %j", async (sent) => {
    names = sent;
    const line = readExecStart("analytics-check.service");
    const { code } = await runLine(
      line.replace("--unusual --dead-links 10 --server-errors 10", "--dead-links 1"),
    );
    expect([code, received.map(({ to }) => to)]).toEqual([0, [["team@example.com"]]]);
    const { headers, subject, text = "", html } = await PostalMime.parse(received[0]?.raw ?? "");
    expect([subject, html, headers.some(({ key }) => key === "bcc")]).toEqual([
      "analytics-mcp check",
      undefined,
      false,
    ]);
    expectSentence(text.trimEnd(), sent);
  });

  it("no name is a header or a page's element of the report", async () => {
    names = MENTIONS;
    expect(await runLine(commands[0] ?? "")).toEqual({ code: 0, stdout: "", stderr: "" });
    const [{ to, raw } = { to: [], raw: Buffer.of() }] = received;
    const { headers, subject, html } = await PostalMime.parse(raw);
    expect([to, headers.some(({ key }) => key === "bcc")]).toEqual([["you@example.com"], false]);
    expect(subject).toMatch(/^example\.com, \S+ to \S+: [\d,]+ visitors/);
    expect(html).not.toMatch(/<(?:!channel|https|b>)|href/);
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
    const quiet = line.replace("--unusual --dead-links 10 --server-errors 10", "--below 1");
    expect(quiet).not.toBe(line);
    expect([(await runLine(quiet)).code, received]).toEqual([0, []]);
    expect((await runLine(line, { ANALYTICS_API_KEY: "wrong" })).code).toBe(4);
    expect(received).toEqual([]);
    const { code } = await runLine(
      line.replace("--unusual --dead-links 10 --server-errors 10", "--above 1 --dead-links 1"),
    );
    expect([code, received.length]).toEqual([0, 1]);
    const { subject, text, html } = await PostalMime.parse(received[0]?.raw ?? "");
    expect([subject, html]).toEqual(["analytics-mcp check", undefined]);
    expect(text).toMatch(
      /^example\.com had [\d,]+ visitors on .*: above 1\.\nexample\.com had \d+ dead links on /,
    );
  });

  it("the check's unit neither fails nor sends a mail while it learns, in its first hours and days", async () => {
    for (const hours of [1, 60]) {
      const lines = Array.from({ length: 6 * hours }, (_, index) =>
        combined({ at: Date.now() - 600_000 * index - 60_000, address: `192.0.2.${index % 250}` }),
      );
      const { path } = createLogFolder({ "access.log": joinLines(...lines.toReversed()) });
      const logs = { ANALYTICS_LOGS: path("access.log"), ANALYTICS_TIMEZONE: "UTC" };
      const line = readExecStart("analytics-check.service");
      const ran = await runLine(line, { ...logs, ANALYTICS_BASE_URL: "", ANALYTICS_API_KEY: "" });
      expect([ran, received]).toEqual([{ code: 0, stdout: "", stderr: "" }, []]);
    }
  });
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
    const command = commands.find((each) => each.startsWith(start)) ?? "";
    expect(command).not.toBe("");
    const line = command.replace("--unusual --dead-links 10 --server-errors 10", "--dead-links 1");
    const { code, stderr } = await runLine(line, more);
    return { code, stderr, message: received.length === 1 ? received[0]?.body : undefined };
  };
  const HEADLINE = /^example\.com, \d{4}-\d\d-\d\d to /;

  it("the page has five, and each posts nothing if it fails", async () => {
    expect(commands.map((command) => command.split(/[,\n]/)[0])).toEqual([
      ...["# Slack", "# Discord", "# Teams", "# Mattermost", "# Discord"],
      "text=$(analytics-mcp check example.com --unusual --dead-links 10 --server-errors 10)",
    ]);
    const failed = await Promise.all(
      commands.map((command) => runLine(command, { ANALYTICS_API_KEY: "wrong" })),
    );
    expect(failed.map(({ code }) => code)).not.toContain(0);
    expect(received).toEqual([]);
  });

  it("Discord gets as much as fits, and notifies nobody", async () => {
    const { code, message = "{}" } = await send("# Discord, at most");
    const { content, allowed_mentions } = JSON.parse(message);
    expect([code, content.split("```").length, allowed_mentions]).toEqual([0, 3, { parse: [] }]);
    expect(content.length).toBeLessThanOrEqual(2_000);
    expect(content.slice(4)).toMatch(HEADLINE);
  });

  it("Discord gets the report as a file", async () => {
    const { code, message = "" } = await send("# Discord, with");
    expect([code, received[0]?.type]).toEqual([0, expect.stringMatching(/^multipart\/form-data/)]);
    expect(message).toContain('{"content": "Last week"}');
    expect(message).toContain('filename="week.html"');
    expect(message).toContain("</html>");
    expect(readdirSync(home)).toContain("week.html");
  });

  describe("no name is a mention, a link or the end of the code", () => {
    beforeEach(() => {
      names = MENTIONS;
    });
    afterEach(() => expect(readdirSync(home)).not.toContain("forged"));

    /** The code that a message is, which nothing in it ends. */
    const readCode = (text: string) => {
      const [start, code = "", end, ...more] = text.split("```");
      expect([start, end, more, code.includes("`")]).toEqual(["", "", [], false]);
      return code.trim();
    };

    const sendToSlack = async (start: string) => {
      const { code, message = "{}" } = await send(start);
      const text = readCode(JSON.parse(message).text);
      expect([code, /[<>]|&(?!amp;|lt;|gt;)/.test(text)]).toEqual([0, false]);
      return text.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&");
    };

    it("Slack", async () => {
      const text = await sendToSlack("# Slack");
      expect(text).toMatch(HEADLINE);
      for (const name of MENTIONS) {
        const start = name
          .replaceAll(/[\r\n\p{Cf}]/gu, "")
          .replaceAll("`", "´")
          .slice(0, 4);
        expect(text).toContain(start);
      }
    });

    it.each(harmful(MENTION, MARKUP, LINE))("Slack, of a check: %j", async (sent) => {
      names = sent;
      const withoutCode = sent.map((name) => name.replaceAll("`", "´"));
      expectSentence(await sendToSlack("text=$(analytics-mcp check"), withoutCode);
    });

    it("Discord", async () => {
      const { code, message = "{}" } = await send("# Discord, at most");
      const { content, allowed_mentions } = JSON.parse(message);
      expect([code, allowed_mentions]).toEqual([0, { parse: [] }]);
      expect(readCode(content)).toMatch(HEADLINE);
    });

    it("Teams", async () => {
      const { code, message = "{}" } = await send("# Teams");
      const { type, attachments } = JSON.parse(message);
      const [{ contentType, content }] = attachments;
      expect([code, type, contentType, content.type]).toEqual([
        ...[0, "message", "application/vnd.microsoft.card.adaptive", "AdaptiveCard"],
      ]);
      // A mention would be an entity, and only a TextBlock has Markdown.
      expect(Object.keys(content)).toEqual(["type", "version", "body"]);
      const blocks: { type: string; inlines: object[] }[] = content.body;
      expect(blocks.map(({ type }) => type)).toEqual(["RichTextBlock"]);
      const inlines = blocks[0]?.inlines ?? [];
      expect(inlines[0]).toMatchObject({ text: expect.stringMatching(HEADLINE) });
      expect(inlines.length).toBeGreaterThan(10);
      for (const inline of inlines)
        expect(inline).toEqual({ type: "TextRun", text: expect.any(String), fontType: "Monospace" });
    });

    it("Mattermost", async () => {
      const { code, message = "{}" } = await send("# Mattermost");
      const { text } = JSON.parse(message);
      expect(text).toMatch(/^\*\*example\.com, /);
      expect(text).toContain("\n| visitors | ");
      const rest = text.replaceAll(/(?<!`)(`+)(?!`).*?(?<!`)\1(?!`)/g, "");
      expect([code, rest]).toEqual([0, expect.not.stringMatching(/@\w|(?<!\\)[<`[]|(?<!\\):\/\//)]);
    });
  });
});

it.each(harmful(QUOTE))("a script prints a sentence that no name ends: %j", async (sent) => {
  names = sent;
  const [script = ""] = fencesOf("A check", "sh").filter((text) => text.startsWith("if message="));
  const { code, stdout } = await runLine(script.replace("--dead-links 10", "--dead-links 1"));
  expect(code).toBe(0);
  const [, sentence = ""] = /^exit code 7: (.*)\n$/.exec(stdout) ?? [];
  expectSentence(sentence, sent);
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
