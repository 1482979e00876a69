import { readFileSync } from "node:fs";
import { createApi } from "../../src/api/api.ts";
import { checkConformance } from "../../src/conform/conformance.ts";
import type { DataSource } from "../../src/sources/data-source.ts";
import { openLocalKeyring } from "../../src/sources/local-keyring.ts";

/** Checks the REST API over a source against the contract. Its clock moves only while a check waits. */
export async function conformSource(source: DataSource, clock: { now: number }) {
  const tick = () => clock.now;
  const { find, publicKeys } = await openLocalKeyring(
    { open: async () => source },
    { clock: tick, environment: {}, flags: {} },
  );
  const api = createApi({ keyring: find, clock: tick, quota: { limit: 100, window: 5 } });
  return checkConformance(
    {
      baseUrl: "http://localhost/api/v1",
      apiKey: publicKeys[0] ?? "",
      send: async (url, { method, headers: sent }) => {
        const { status, headers, body } = await api({ method, url, headers: new Headers(sent) });
        return new Response(body, { status, headers: [...headers] });
      },
    },
    {
      clock: tick,
      sleep: async (milliseconds) => {
        clock.now += milliseconds;
      },
    },
  );
}

/** The rules that a service cannot keep, as the table below its heading in docs/conform.md lists them. */
export function readExceptions(service: string): string[] {
  const [, own = ""] = readFileSync("docs/conform.md", "utf8").split(
    `\n## Rules that ${service} cannot keep\n`,
  );
  const rows = own.split("\n## ")[0]?.match(/^\| (?:`[a-z]+\.[a-z-]+`(?:, )?)+ \|/gm) ?? [];
  return rows.flatMap((row) => [...row.matchAll(/`([^`]+)`/g)].map(([, id = ""]) => id));
}
