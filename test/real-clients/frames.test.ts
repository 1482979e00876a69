import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { describe, expect, it, onTestFinished } from "vitest";
import { serveStdio } from "../../src/mcp/stdio.ts";
import { stats } from "../../src/operations/index.ts";
import { demo } from "../../src/sources/demo.ts";
import { createLocalCall } from "../../src/sources/local-call.ts";
import { NOW } from "../support/api.ts";

interface Frame {
  id?: string | number;
  method?: string;
  params?: { name?: string };
  result?: { structuredContent?: object };
}

const clock = () => NOW;
const call = createLocalCall(() => demo.open({ clock, environment: {}, flags: {} }), clock);
const FOLDER = "test/real-clients/frames";
const files = readdirSync(FOLDER).filter((name) => name.endsWith(".ndjson"));
const parse = (text: string): Frame[] =>
  text
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));

/** Sends the frames as the client did, each request after the answer to the one before, and gives all that came back. */
async function replay(text: string) {
  const [stdin, stdout] = [new PassThrough(), new PassThrough()];
  const faults: string[] = [];
  let written = "";
  stdout.on("data", (chunk) => {
    written += chunk;
  });
  const served = serveStdio({
    stdin,
    stdout,
    call,
    version: "0.0.0",
    about: demo.about,
    options: [],
    admit: () => {},
    onFault: ({ message }) => void faults.push(message),
  });
  onTestFinished(() => void stdin.end());
  const countAnswers = () => written.split("\n").length - 1;
  for (const line of text.trim().split("\n")) {
    const before = countAnswers();
    stdin.write(`${line}\n`);
    if ("id" in JSON.parse(line)) await expect.poll(countAnswers, { interval: 1 }).toBeGreaterThan(before);
  }
  stdin.end();
  await served;
  return { answers: parse(written), faults };
}

describe("the frames that real clients send", () => {
  it.each(files)("%s: each request is answered once, and the tool with the right number", async (file) => {
    const text = readFileSync(join(FOLDER, file), "utf8");
    const requests = parse(text).filter(({ id }) => id !== undefined);
    const { answers, faults } = await replay(text);
    expect(answers.map(({ id }) => id)).toEqual(requests.map(({ id }) => id));
    expect(answers.filter(({ result }) => result === undefined)).toEqual([]);
    expect(faults).toEqual([]);
    const index = requests.findIndex(({ method }) => method === "tools/call");
    expect(answers[index]?.result?.structuredContent).toMatchObject(
      await call(stats, { site: "example.com", days: 7 }),
    );
  });

  it("hold both generations of the protocol", () => {
    const first = files.map((file) => parse(readFileSync(join(FOLDER, file), "utf8"))[0]?.method);
    expect(new Set(first)).toEqual(new Set(["initialize", "server/discover"]));
  });
});
