import { describe, expect, it } from "vitest";
import { findProbeKind } from "../../../../src/sources/logs/counting/probes.ts";
import {
  CHROME,
  combined,
  createLogFolder,
  joinLines,
  LOG_NOW,
  openTestLogs,
  type Request,
} from "../../../support/logs.ts";

const times = <T>(count: number, create: (index: number) => T) =>
  Array.from({ length: count }, (_, index) => create(index));

const openLines = (lines: readonly string[]) => {
  const { path } = createLogFolder({ "access.log": joinLines(...lines) });
  return openTestLogs({ logs: [path("access.log")] });
};
const openRequests = (requests: readonly Request[]) => openLines(requests.map(combined));

const OWN = "https://example.com/guide";

/** What each of thirty people asks for; all of them see the start page, too. */
const people: Record<string, readonly Request[]> = {
  "a missing file that the site's own script fetches": times(4, () => ({
    target: "/config.json",
    status: 404,
    referrer: OWN,
  })),
  "the same, on a site that sends no referrers": times(4, () => ({ target: "/config.json", status: 404 })),
  "broken links on a site with .aspx pages": [
    { target: "/products/list.aspx" },
    ...times(4, (n) => ({ target: `/products/old-${n}.aspx?id=${n}`, status: 404 })),
  ],
  "broken links on a site with .jsp pages": [
    { target: "/shop/start.jsp;jsessionid=1A2B" },
    ...times(4, (n) => ({ target: `/shop/item${n}.jsp`, status: 404 })),
  ],
  "broken links on a site with .asp and .cgi pages": [
    { target: "/default.asp" },
    { target: "/cgi-bin/search.cgi?q=x" },
    ...times(3, (n) => ({ target: `/old/${n}.asp`, status: 404 })),
    ...times(3, (n) => ({ target: `/cgi-bin/form${n}.cgi`, status: 404 })),
  ],
  "a tutorial on backups with missing pages": [
    "/backup",
    "/backup-strategies",
    "/backups/restore-a-backup.html",
    "/blog/backup.sql-and-other-files",
    "/jenkins-pipelines",
    "/struts-in-ten-minutes",
    "/docs/v1.old/",
    "/telescope-x200",
    "/actuators",
    "/console/login",
  ].map((target) => ({ target, status: 404 })),
  "a page about the server on a site in PHP": [
    { target: "/index.php" },
    ...times(3, () => ({ target: "/info.php", status: 403 })),
  ],
  "paths in a query": times(4, (n) => ({ target: `/login?next=../account/${n}`, status: 404 })),
  "a login that pages of the site link to": times(4, () => ({
    target: "/wp-login.php",
    status: 403,
    referrer: OWN,
  })),
  "a login that others may use": [
    { target: "/wp-login.php", address: "198.51.100.77" },
    { target: "/", address: "198.51.100.77" },
    ...times(3, () => ({ target: "/wp-login.php", status: 403 })),
  ],
  "styles and images of a plugin that is gone": ["a.css", "b.js", "img/c.png"].map((file) => ({
    target: `/wp-content/plugins/slider/${file}`,
    status: 404,
  })),
  "pages behind a sign-in: twice 401, then the page": times(20, (n) => [
    { target: `/reports/${n}`, status: 401 },
    { target: `/reports/${n}`, status: 401 },
    { target: `/reports/${n}` },
  ]).flat(),
  "only pages that want a password": times(25, (n) => ({ target: `/private/${n}`, status: 401 })),
};

describe("people are no scanners", () => {
  it.each(Object.entries(people))("%s", async (_, asked) => {
    const requests = times(30, (n) => [
      { address: `192.0.2.${n}` },
      ...asked.map((request) => ({ address: `192.0.2.${n}`, ...request })),
    ]).flat();
    const { visitors } = await openRequests(requests).count();
    expect(visitors).toBe(30 + Number(asked.some(({ address }) => address !== undefined)));
  });

  it("on IIS with integrated authentication", async () => {
    const time = new Date(LOG_NOW - 60_000).toISOString().slice(0, 19).replace("T", " ");
    const agent =
      "Mozilla/5.0+(Windows+NT+10.0;+Win64;+x64)+AppleWebKit/537.36+Chrome/142.0.0.0+Safari/537.36";
    const line = (n: number, stem: string, status: string) =>
      `${time} 10.0.0.5 GET ${stem} - 443 - 192.0.2.${n} ${agent} - ${status} 0 15`;
    const lines = times(30, (n) =>
      times(8, (page) => [
        line(n, `/app/page${page}.aspx`, "401 2 5"),
        line(n, `/app/page${page}.aspx`, "401 1 2148074254"),
        line(n, `/app/page${page}.aspx`, "200 0 0"),
        line(n, `/app/missing${page}.aspx`, "404 0 2"),
      ]).flat(),
    ).flat();
    const fields =
      "#Fields: date time s-ip cs-method cs-uri-stem cs-uri-query s-port cs-username c-ip cs(User-Agent) cs(Referer) sc-status sc-substatus sc-win32-status sc-bytes time-taken";
    const logs = openLines([fields, ...lines]);
    expect(await logs.count()).toEqual({ visitors: 30, pageviews: 240, events: 0 });
    expect(await logs.warnings()).not.toContain("many_scanners");
  });
});

describe("broken files of a page make nobody a scanner", () => {
  const url = (path: string) => `https://example.com${path}`;
  /** A page with files that are not there. */
  const view = (address: string, target: string, files: readonly string[]): Request[] => [
    { address, target },
    ...files.map((file) => ({ address, target: file, status: 404, referrer: url(target) })),
  ];
  const images = (page: number) => times(5, (n) => `/images/${page}-${n}.png`);

  it("200 readers, of whom 30 read five pages with five broken images each", async () => {
    const reader = (n: number) => {
      const address = `192.0.${2 + (n >> 7)}.${n & 127}`;
      return times(n < 30 ? 5 : 1, (page) => view(address, `/post/${page}`, images(page))).flat();
    };
    const logs = openRequests(times(200, reader).flat());
    expect(await logs.count()).toMatchObject({ visitors: 200, pageviews: 320 });
    expect(await logs.warnings()).not.toContain("many_scanners");
  });

  it("a release whose scripts are not there: everybody stays a visitor, and the dead links show", async () => {
    const reader = (n: number): Request[] => {
      const address = `192.0.2.${n}`;
      // A script that is there leads to its parts.
      return [
        ...view(
          address,
          "/app?tab=1",
          times(12, (part) => `/assets/start-${part}.js`),
        ),
        { address, target: "/assets/main.js", referrer: url("/app") },
        ...times(12, (part) => ({
          ...{ address, target: `/assets/part-${part}.js`, status: 404 },
          referrer: url("/assets/main.js"),
        })),
      ];
    };
    const logs = openRequests(times(50, reader).flat());
    expect(await logs.count()).toMatchObject({ visitors: 50, pageviews: 50 });
    const span = { site: await logs.findSite(), from: "2026-11-21", to: "2026-11-21", now: LOG_NOW };
    const found = await logs.source.notFound?.(span, 100);
    expect(found).toMatchObject({ totalRows: 24, totalRequests: 1_200, excluded: { scanners: 0 } });
    expect(found?.rows[0]).toMatchObject({ requests: 50, visitors: 50 });
  });

  const files = times(30, (n) => `/wp-content/${n}.css`);
  it.each<[string, readonly Request[]]>([
    [
      "of a page that they did not view",
      view("", "/a", files).map((each) => ({
        ...each,
        target: each.target === "/a" ? "/b" : (each.target ?? ""),
      })),
    ],
    [
      "of a page of another site",
      [
        { target: "/a" },
        ...files.map((target) => ({ target, status: 404, referrer: "https://example.net/a" })),
      ],
    ],
    ["without a page", [{ target: "/a" }, ...files.map((target) => ({ target, status: 404 }))]],
    [
      "that led there by a file, by somebody who was served none",
      [{ target: "/a" }, ...files.map((target) => ({ target, status: 404, referrer: url("/main.css") }))],
    ],
    [
      "that are pages",
      view(
        "",
        "/a",
        times(30, (n) => `/page-${n}`),
      ),
    ],
    [
      "beside twenty guesses",
      [...view("", "/a", images(1)), ...times(20, (n) => ({ target: `/guess-${n}`, status: 404 }))],
    ],
  ])("but who asks for files %s is one", async (_, asked) => {
    const logs = openRequests([
      ...times(30, (n) => ({ address: `192.0.2.${n}` })),
      ...asked.map((request) => ({ ...request, address: "198.51.100.7" })),
    ]);
    expect(await logs.count()).toMatchObject({ visitors: 30 });
  });
});

/** What scanners ask for on a site that has none of it, as logs of many servers show it. */
const scans: Record<string, readonly string[]> = {
  "files that hold passwords": [
    "/.env",
    "/.env.production",
    "/api/.env",
    "/.aws/credentials",
    "/.git/config",
  ],
  "copies of the site": ["/backup.zip", "/www.tar.gz", "/db.sql", "/wp-config.php.bak", "/index.php~old"],
  "database tools": ["/phpmyadmin/index.php", "/pma/", "/phpMyAdmin-5.1/", "/adminer.php", "/myadmin/"],
  WordPress: ["/wp-login.php", "/blog/wp-login.php", "/xmlrpc.php", "/wp-includes/wlwmanifest.xml"],
  "plugins of WordPress": [
    "/wp-content/plugins/hellopress/wp_filemanager.php",
    "/wp-content/plugins/revslider/readme.txt",
    "/wp-content/uploads/2024/shell.php",
    "/wp-admin/setup-config.php?step=1",
  ],
  frameworks: [
    "/vendor/phpunit/phpunit/src/Util/PHP/eval-stdin.php",
    "/_ignition/execute-solution",
    "/telescope/requests",
    "/actuator/env",
    "/solr/admin/info/system?wt=json",
  ],
  "routers and cameras": [
    "/HNAP1/",
    "/boaform/admin/formLogin",
    "/GponForm/diag_Form",
    "/setup.cgi?next_file=x",
  ],
  "mail and gateways": [
    "/owa/auth/x.js",
    "/autodiscover/autodiscover.json",
    "/ecp/Current/exporttool/microsoft.exchange.ediscovery.exporttool.application",
    "/remote/fgt_lang?lang=/../../../..//////////dev/cmdb/sslvpn_websession",
    "/+CSCOE+/logon.html",
  ],
  "application servers": [
    "/manager/html",
    "/console/login/LoginForm.jsp",
    "/jenkins/script",
    "/struts2-showcase/index.action",
    "/server-status",
    "/jmx-console/",
  ],
  "shells that others left": ["/shell.php", "/alfa.php", "/wso.php", "/info.php", "/up.php"],
  "paths out of the site": [
    "/cgi-bin/.%2e/.%2e/.%2e/bin/sh",
    "/static/../../../etc/passwd",
    "/icons/%2e%2e/%2e%2e/windows/win.ini",
    "/index.php?page=../../../../etc/passwd",
  ],
  "holes in queries": ["/?q=<script>alert(1)</script>", "/item?id=1+union+select+1,2,3", "/?x=%2fetc/passwd"],
  "languages that the site is not written in": [
    "/login.asp",
    "/admin.aspx",
    "/index.jsp",
    "/cgi-bin/test.cgi",
  ],
};

describe("scanners stay out", () => {
  it.each(Object.entries(scans))("%s", async (_, targets) => {
    expect(targets.filter((target) => findProbeKind(target) < 0)).toEqual([]);
    // They see the start page, and thirty people see a page.
    const logs = openRequests([
      ...times(30, (n) => ({ address: `198.51.100.${n}`, target: "/guide" })),
      ...["/", ...targets.slice(0, 3)].map((target, n) => ({ target, status: n === 0 ? 200 : 404 })),
    ]);
    expect(await logs.count()).toMatchObject({ visitors: 30, pageviews: 30 });
  });

  it.each([
    ["on a site in PHP", "/index.php", ["/.env", "/wp-login.php", "/phpinfo.php"]],
    ["on a site with .aspx pages", "/start.aspx", ["/web.config.bak", "/.git/HEAD", "/phpmyadmin/"]],
    ["with a referrer of another site", "/", ["/.env", "/.git/config", "/.aws/credentials"]],
  ])("%s", async (_, page, targets) => {
    const logs = openRequests([
      ...times(30, (n) => ({ address: `198.51.100.${n}`, target: page })),
      {},
      ...targets.map((target) => ({ target, status: 404, referrer: "https://search.example/?q=x" })),
    ]);
    expect(await logs.count()).toMatchObject({ visitors: 30 });
  });

  it("whatever the pages that come later on the same day", async () => {
    const scan = times(3, (n) => ({ target: `/x${n}.aspx`, status: 404, at: LOG_NOW - 7_200_000 }));
    const first = openRequests([...scan, { at: LOG_NOW - 7_100_000 }]);
    expect(await first.count()).toMatchObject({ visitors: 0 });
    const both = openRequests([...scan, { at: LOG_NOW - 7_100_000 }, { target: "/a.aspx", agent: CHROME }]);
    expect(await both.count()).toMatchObject({ visitors: 2 });
  });
});

describe("many scanners", () => {
  const scan = (n: number) =>
    ["/", "/.env", "/.git/config", "/.aws/config"].map((target, at) => ({
      address: `203.0.113.${n}`,
      target,
      status: at === 0 ? 200 : 404,
    }));
  const readers = (count: number) => times(count, (n) => ({ address: `198.51.100.${n}` }));

  it.each([
    ["a fifth of those who viewed pages", 2, 8, false],
    ["more than a fifth", 3, 8, true],
  ])("%s", async (_, scanners, visitors, isWarned) => {
    const logs = openRequests([...times(scanners, scan).flat(), ...readers(visitors)]);
    expect(await logs.count()).toMatchObject({ visitors });
    expect((await logs.warnings()).includes("many_scanners")).toBe(isWarned);
  });

  it("says how many, and on which days", async () => {
    const logs = openRequests([...times(3, scan).flat(), ...readers(8)]);
    const span = { site: await logs.findSite(), from: "2026-11-01", to: "2026-11-21", now: LOG_NOW };
    const found = await logs.source.warnings?.(span);
    expect(found?.find(({ code }) => code === "many_scanners")).toMatchObject({
      detail: expect.stringContaining("On 2026-11-21, 3 of 11 who viewed pages were left out as scanners"),
      values: { days: 1, from: "2026-11-21", to: "2026-11-21", scanners: 3, senders: 11 },
    });
  });

  it("does not count scanners that saw no page", async () => {
    const blind = times(5, scan)
      .flat()
      .filter(({ status }) => status === 404);
    const logs = openRequests([...blind, ...readers(8)]);
    expect(await logs.warnings()).not.toContain("many_scanners");
  });
});
