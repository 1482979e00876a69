import { connect } from "node:net";
import { expect, it } from "vitest";
import { startTestConnector } from "../support/connector.ts";

it("keeps a connection for longer than the minute that proxies do", async () => {
  const connector = await startTestConnector();
  const { headers } = await fetch(`${connector.publicUrl}/healthz`);
  await connector.close();
  const [, seconds] = /timeout=(\d+)/.exec(headers.get("keep-alive") ?? "") ?? [];
  expect(Number(seconds)).toBeGreaterThan(60);
});

it("answers requests that were sent together, and closes a connection that sends very many", async () => {
  const connector = await startTestConnector();
  const { hostname, port } = new URL(connector.publicUrl);
  const send = async (count: number) => {
    const socket = connect(Number(port), hostname);
    const chunks: Buffer[] = [];
    socket.on("data", (chunk) => chunks.push(chunk)).on("error", () => {});
    const closed = new Promise((resolve) => socket.once("close", resolve));
    const last = "GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
    socket.write("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n".repeat(count - 1) + last);
    await closed;
    return Buffer.concat(chunks).toString().split("HTTP/1.1 200").length - 1;
  };
  expect(await send(20)).toBe(20);
  expect(await send(1_000)).toBeLessThanOrEqual(20);
  expect(connector.lines.filter((line) => line.includes('"event":"request"')).length).toBeLessThanOrEqual(40);
  await connector.close();
});
