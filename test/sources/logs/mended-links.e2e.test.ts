import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createHomeFolder } from "../../support/child-process.js";
import { spawnClient, type TestClient } from "../../support/clients.ts";
import { FIREFOX } from "../../support/logs.ts";
import { MAIN } from "./scripted-visits.ts";
import { nginx, startWebServer, type WebServer } from "./web-servers.ts";

// What the answer is for: an assistant that has a site's repository finds its broken links, and mends them.

const program = nginx((logs) => ({
  http: "",
  main: `access_log ${join(logs, "access.log")} combined;`,
  blog: "access_log off;",
}));

/** A site of which three pages have a broken link each: a typing error, a picture that is gone, and a page that was moved. */
const PAGES: Record<string, string> = {
  "index.html": `<h1>Home</h1> <a href="/guide/">Guide</a> <a href="/team.html">Team</a> <a href="/guide/instal.html">Install</a>`,
  "guide/index.html": `<h1>Guide</h1> <a href="install.html">Install</a> <a href="../">Home</a>`,
  "guide/install.html": `<h1>Install</h1> <a href="/pricing.html">Prices</a>`,
  "team.html": `<h1>Team</h1> <img src="/pictures/team-2024.png"> <a href="/">Home</a>`,
  "plans.html": "<h1>Plans</h1>",
  "pictures/team-2026.png": "not really a picture",
};
/** What the person who knows the site would say about each. */
const MENDED = new Map([
  ["/guide/instal.html", "/guide/install.html"],
  ["/pictures/team-2024.png", "/pictures/team-2026.png"],
  ["/pricing.html", "/plans.html"],
]);

interface Row {
  value: string;
  requests: number;
  visitors: number;
  referrers: { value: string; internal: boolean; requests: number }[];
}

describe.skipIf(program.path === undefined)("the broken links of a site on nginx (nginx)", () => {
  let server: WebServer;
  let client: TestClient;
  beforeAll(async () => {
    server = await startWebServer(program);
    for (const [name, text] of Object.entries(PAGES)) {
      mkdirSync(dirname(fileOf(name)), { recursive: true });
      writeFileSync(fileOf(name), text);
    }
    client = await spawnClient(
      "v2 auto",
      process.execPath,
      ["bin/analytics-mcp.js", "--logs", join(server.folder, "logs", "access.log"), "--site", MAIN],
      { HOME: createHomeFolder() },
    );
  });
  afterAll(async () => {
    await client?.close();
    await server?.stop();
  });

  const fileOf = (name: string) => join(server.folder, "www", name);

  /** Asks for a path as a browser does, and returns the page if there is one. */
  const get = (path: string, referrer?: string): Promise<string> =>
    new Promise((resolve, reject) => {
      const headers = {
        host: MAIN,
        "user-agent": FIREFOX,
        ...(referrer !== undefined && { referer: `https://${MAIN}${referrer}` }),
      };
      const sent = request({ host: "127.0.0.1", port: server.port, path, headers }, (answer) => {
        let text = "";
        answer.setEncoding("utf8");
        answer.on("data", (chunk) => {
          text += chunk;
        });
        answer.on("end", () => resolve(answer.statusCode === 200 ? text : ""));
      });
      sent.on("error", reject).end();
    });

  /** Reads the whole site, from link to link, and its icon as browsers do. */
  const readSite = async () => {
    await get("/favicon.ico");
    const waiting: [path: string, from?: string][] = [["/"]];
    const seen = new Set<string>();
    for (const [path, from] of waiting) {
      if (seen.has(path)) continue;
      seen.add(path);
      const page = await get(path, from);
      for (const [, link = ""] of page.matchAll(/(?:href|src)="([^"]+)"/g))
        waiting.push([new URL(link, `https://${MAIN}${path}`).pathname, path]);
    }
  };

  const ask = async () => {
    const result = await client.callTool("get_not_found", { days: 2 });
    return result.structuredContent as { rows: Row[]; excluded: { bots: number; scanners: number } };
  };

  const countViews = async () => {
    const result = await client.callTool("get_stats", { days: 2 });
    return (result.structuredContent as { pageviews: number }).pageviews;
  };

  /** The file in the repository that a page is made from. */
  const sourceOf = (page: string) => (page.endsWith("/") ? `${page.slice(1)}index.html` : page.slice(1));

  it("are found in the pages that have them, and are gone once they are mended", async () => {
    await readSite();
    const { rows, excluded } = await ask();
    expect(excluded).toEqual({ bots: 0, scanners: 0 });
    const broken = rows.map(({ value, requests, visitors, referrers }) => ({
      value,
      counts: [requests, visitors],
      in: referrers.filter(({ internal }) => internal).map((page) => sourceOf(page.value)),
    }));
    expect(broken).toEqual([
      { value: "/guide/instal.html", counts: [1, 1], in: ["index.html"] },
      { value: "/pictures/team-2024.png", counts: [1, 1], in: ["team.html"] },
      { value: "/pricing.html", counts: [1, 1], in: ["guide/install.html"] },
    ]);
    for (const { value, in: files } of broken) {
      for (const name of files) {
        const text = readFileSync(fileOf(name), "utf8");
        expect(text).toContain(`"${value}"`);
        writeFileSync(fileOf(name), text.replace(`"${value}"`, `"${MENDED.get(value)}"`));
      }
    }
    const views = await countViews();
    await readSite();
    // Now all links lead somewhere: nobody has asked in vain again.
    expect(await countViews()).toBeGreaterThan(views);
    expect((await ask()).rows).toEqual(rows);
  });
});
