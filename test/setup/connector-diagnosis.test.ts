import { describe, expect, it, onTestFinished } from "vitest";
import { startTestConnector } from "../support/connector.ts";
import { readReport } from "../support/doctor-report.ts";
import { startServer } from "../support/faulty-server.ts";
import { findPort } from "../support/processes.ts";
import { startRightConnector } from "../support/right-connector.ts";
import { runShell } from "../support/shell.ts";
import { connectorFaults } from "./connector-faults.ts";

const examine = async (address: string, clock = Date.now) =>
  readReport(await runShell(["doctor", "--json", "--connector", address], { clock }));

async function start(...given: Parameters<typeof startRightConnector>) {
  const server = await startRightConnector(...given);
  onTestFinished(() => void server.close());
  return server;
}

const CHECKS = [
  "endpoint: ok",
  "proxy: ok",
  "dns: skipped",
  "tcp: ok",
  "tls: skipped",
  "challenge: ok",
  "resource metadata: ok",
  "server metadata: ok",
  "PKCE: ok",
  "registration: ok",
  "sign-in page: ok",
  "page headers: ok",
  "HSTS: skipped",
  "clock: ok",
];
const list = (checks: { check: string; status: string }[]) =>
  checks.map(({ check, status }) => `${check}: ${status}`);

describe("a working connector", () => {
  it("ours passes step by step, and is given no key", async () => {
    const connector = await startTestConnector();
    onTestFinished(() => connector.close());
    const { code, checks } = await examine(connector.mcp);
    expect(list(checks).map((line) => line.replace("dns: ok", "dns: skipped"))).toEqual(CHECKS);
    expect(code).toBe(0);
    expect(connector.upstream).toEqual([]);
    expect(connector.lines.join("\n")).toContain('"name":"analytics-mcp doctor"');
  });

  it("another passes too, with the path and the scheme left out", async () => {
    const { origin, requests } = await start();
    const { code, checks } = await examine(origin.replace("http://", ""));
    expect([code, list(checks)]).toEqual([0, CHECKS]);
    const page = requests.find(({ url }) => url?.startsWith("/consent"));
    expect(page?.headers.cookie).toBe("sign_in=s-1");
    const asked = new URL(requests.find(({ url }) => url?.startsWith("/authorize"))?.url ?? "", origin);
    expect(Object.fromEntries(asked.searchParams)).toMatchObject({
      response_type: "code",
      client_id: "c-1",
      resource: `${origin}/mcp`,
      scope: "read",
      code_challenge_method: "S256",
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
    });
    for (const { headers } of requests) expect(headers.authorization).toBeUndefined();
  });

  it("one without registration is checked as far as that", async () => {
    const { origin } = await start({
      server: { members: { registration_endpoint: null, client_id_metadata_document_supported: true } },
    });
    const { code, find } = await examine(origin);
    expect([code, find("registration")?.status, find("sign-in page")?.status]).toEqual([0, "ok", "skipped"]);
  });
});

describe("each fault is found, with its fix", () => {
  const faults = Object.entries(connectorFaults).flatMap(([check, found]) =>
    found.map(([name, spoiled, detail, fix, status = "failed"]) => ({
      name,
      spoiled,
      check,
      status,
      detail,
      fix,
    })),
  );
  it.each(faults)("$name", async ({ spoiled, check, status, detail, fix }) => {
    const { origin } = await start(spoiled);
    const { code, find } = await examine(origin);
    expect([find(check)?.status, find(check)?.detail, find(check)?.fix]).toEqual([
      status,
      expect.stringMatching(detail),
      expect.stringMatching(fix),
    ]);
    expect(code).toBe(status === "failed" ? 1 : 0);
  });

  it("nothing is there", async () => {
    const { code, find } = await examine(`http://127.0.0.1:${await findPort()}/mcp`);
    expect([code, find("tcp")?.status, find("challenge")?.status]).toEqual([5, "failed", "skipped"]);
    expect(find("tcp")?.fix).toBe("Check the address, the network and HTTPS_PROXY.");
  });

  it("it cuts the connection", async () => {
    const server = await startServer((request) => request.socket.destroy());
    onTestFinished(() => server.close());
    const { code, find } = await examine(server.origin);
    expect([code, find("challenge")?.status]).toEqual([5, "failed"]);
  });

  it("this machine's clock is wrong", async () => {
    const { origin } = await start();
    const { find } = await examine(origin, () => Date.now() + 3_600_000);
    expect([find("clock")?.status, find("clock")?.detail]).toEqual([
      "warning",
      "this machine is 60 min ahead of the connector",
    ]);
  });
});

it("what a connector says cannot pass for a line of the terminal's", async () => {
  const { origin } = await start({
    resource: { members: { resource: `https://x.example/\u001b[31m\n${"a".repeat(500)}` } },
  });
  const { stdout, stderr } = await runShell(["doctor", "--connector", origin], {
    isTTY: true,
    environment: { NO_COLOR: "1" },
    clock: Date.now,
  });
  expect(stdout + stderr).not.toContain("\u001b");
  expect(stdout + stderr).not.toContain("a".repeat(200));
});
