import { expect, onTestFinished } from "vitest";
import { answerRightly, type FaultyServer, send, startServer } from "./faulty-server.ts";

interface Row {
  check: string;
  status: string;
  detail: string;
  fix: string | null;
}

export const KEY = "canary-4f1c9a2e77d04b6f";
export const at = (origin: string) => ({ ANALYTICS_API_KEY: KEY, ANALYTICS_BASE_URL: origin });

export type Listener = Parameters<typeof startServer>[0];
const answer: Listener = async (request, response) => {
  const { status, headers, body } = await answerRightly(request);
  send(response, status, headers, body);
};

/** A service for the doctor to check, until the test ends. */
export async function serve(
  listener: Listener = answer,
  tls?: { key: string; cert: string },
): Promise<FaultyServer> {
  const server = await startServer(listener, tls);
  onTestFinished(() => void server.close());
  return server;
}

/** What the doctor found. Fails if it shows the key, or if a problem has no fix. */
export function readReport({
  code,
  stdout,
  stderr,
}: {
  code: number | null;
  stdout: string;
  stderr: string;
}) {
  expect(stdout + stderr).not.toContain(KEY);
  const { ok, checks } = JSON.parse(stdout) as { ok: boolean; checks: Row[] };
  expect(ok).toBe(code === 0);
  for (const { status, fix } of checks)
    expect(status === "failed" || status === "warning").toBe(fix !== null);
  return { code, checks, find: (name: string) => checks.find(({ check }) => check === name) };
}
