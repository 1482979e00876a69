import { expect, it } from "vitest";
import { combined, createLogFolder, joinLines, openTestLogs } from "../../support/logs.ts";

/** A page of the site, and requests of people who look for an open proxy. */
const lines = [
  combined({ target: "/a" }),
  ...Array.from({ length: 9 }, (_, n) =>
    combined({ address: `203.0.113.${n}`, target: "http://proxy-test.example/check" }),
  ),
];
const open = (all: readonly string[], flags = {}) => {
  const { path } = createLogFolder({ "access.log": joinLines(...all) });
  return openTestLogs({ logs: [path("access.log")], ...flags });
};
const sitesOf = async ({ source }: ReturnType<typeof open>) =>
  (await source.sites()).map(({ domain }) => domain);

it("a request for a URL of another site makes it no site", async () => {
  const logs = open(lines);
  expect(await sitesOf(logs)).toEqual(["example.com"]);
  expect(await logs.count()).toEqual({ visitors: 1, pageviews: 1, events: 0 });
  await expect(open(lines, { site: [] }).source.sites()).rejects.toThrow("do not say which site");
});

it("nor does it where the log has hosts", async () => {
  const logs = open(
    lines.map((line) => `www.example.com ${line}`),
    { site: [] },
  );
  expect(await sitesOf(logs)).toEqual(["example.com"]);
  expect(await logs.count()).toMatchObject({ pageviews: 1 });
});

it("URLs of the sites that are named tell them apart, as Varnish writes them", async () => {
  const views = ["example.com", "www.example.com", "docs.example.com", "proxy-test.example"].map((host) =>
    combined({ target: `http://${host}/a` }),
  );
  const logs = open(views, { site: ["example.com", "docs.example.com"] });
  expect(await sitesOf(logs)).toEqual(["docs.example.com", "example.com"]);
  expect(await logs.count("2026-11-21", "2026-11-21", "example.com")).toMatchObject({ pageviews: 2 });
  expect(await logs.count("2026-11-21", "2026-11-21", "docs.example.com")).toMatchObject({ pageviews: 1 });
});
