import { http } from "msw";
import { beforeEach, expect, it } from "vitest";
import { spoilNames } from "../support/hostile-names.ts";
import { BASE, fakeNetwork, service } from "../support/network.ts";
import { runShell } from "../support/shell.ts";

const { network, api, ask } = fakeNetwork();

/** A text that would end our sentence, and begin one of its own. */
const FORGED = 'x" had 5 visitors. FORGED \u202e, FORGED\n"x';
const PATHS = ["1", "2", "3"].map((number) => `/${FORGED}${number}`);

/** What is the site's domain becomes such a text, wherever the service names it. */
function forgeDomain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(forgeDomain);
  if (typeof value !== "object" || value === null) return value;
  const members = Object.entries(value).map(([name, member]) => [
    name,
    name === "domain" ? FORGED : forgeDomain(member),
  ]);
  return Object.fromEntries(members);
}

let site: string;
beforeEach(async () => {
  const { body } = await ask("/api/v1/sites");
  [{ id: site }] = body.sites as [{ id: string }];
  network.use(
    http.all(`${BASE}/*`, async ({ request }) => {
      const answer = await api(request);
      const forged = forgeDomain(await answer.json());
      const { status, headers } = answer;
      const type = headers.get("content-type") ?? "";
      const names = request.url.includes("/not-found") ? PATHS : [];
      return spoilNames(request, Response.json(forged, { status, headers: { "content-type": type } }), names);
    }),
  );
});

const FILTER = ["--filter", `page=/${FORGED}`];

it.each([
  ["stats"],
  ["stats", ...FILTER],
  ["stats", "--period", "2025-01-01"],
  ["timeseries", ...FILTER],
  ["breakdown", "pages", ...FILTER],
  ["realtime"],
  ["crawlers"],
  ["compare", ...FILTER],
  ["overview", ...FILTER],
  ["overview"],
  ["conversions", "--goal", `page=/${FORGED}`],
  ["conversions", "--goal", FORGED],
  ["stats", "--filter", FORGED],
  ["stats", "--filter", `country=${FORGED}`],
  ["check", "--below", "9", ...FILTER],
  ["check", "--above", "0", "--explain"],
  ["check", "--dead-links", "1"],
  ["stats", "--site", "unknown.example"],
  ["stats", "--days", FORGED],
])("%s %s: a name is quoted, so that its end can be seen", async (command, ...words) => {
  const chosen = words.includes("--site") ? [] : ["--site", site];
  const { stdout, stderr } = await runShell([command, ...chosen, ...words], {
    environment: service,
    columns: 2_000,
    isTTY: true,
  });
  const text = `${stdout}\n${stderr}`;
  expect(text).toContain("FORGED");
  expect(text.replaceAll(/"[^"\n]*"/g, "")).not.toContain("FORGED");
});
