import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { pageHeaders } from "../../src/oauth/pages/html-document.ts";
import { landingHeaders } from "../../src/oauth/pages/landing-page.ts";
import { CHROMIUM, launch } from "../support/browser.ts";
import { IS_LONG } from "../support/seed.ts";
import { findControlFaults, findFaint, findFaults, followTab, measureLines } from "./browser-checks.ts";
import { consent, errorCodes, hostileNames, pages } from "./page-examples.ts";
import { openSite, type Site } from "./page-site.ts";

const themes = ["light", "dark"] as const;
const names = Object.keys(pages);
/** Without this, browsers would request one. */
const NO_ICON = '<link rel="icon" href="data:,">';
const pathOf = (name: string) => `/${names.indexOf(name)}`;

describe.skipIf(CHROMIUM === undefined)("the connector's pages in Chromium (CHROMIUM)", () => {
  let browser: Browser;
  let context: BrowserContext;
  /** The connector. */
  let site: Site;
  /** The application that the person returns to: another origin on this machine. */
  let client: Site;
  /** Console messages, errors and requests that no page should cause. */
  let faults: string[] = [];
  let tab: Page;

  beforeAll(async () => {
    [browser, site, client] = await Promise.all([launch(), openSite(), openSite()]);
    context = await browser.newContext();
    // Shorter than the test's own limit, so that a failure names the step that waits.
    context.setDefaultTimeout(60_000);
    tab = await context.newPage();
    tab.on("console", (message) => faults.push(message.text()));
    tab.on("pageerror", (error) => faults.push(error.message));
    tab.on("request", (request) => {
      if (!request.isNavigationRequest()) faults.push(request.url());
    });
    client.headers = { "content-type": "text/html" };
    client.pages = { "/callback?code=1": `${NO_ICON}<title>Back</title>` };
    for (const name of names) site.pages[pathOf(name)] = pages[name] ?? "";
  });
  afterAll(async () => {
    await browser.close();
    await Promise.all([site.close(), client.close()]);
  });
  afterEach(async () => {
    site.headers = pageHeaders;
    site.received.length = 0;
    const found = faults;
    faults = [];
    // No test expects a page to break its policy, log anything or load anything.
    expect(found).toEqual([]);
  });

  async function open(name: string, media: Parameters<Page["emulateMedia"]>[0] = {}): Promise<Page> {
    await tab.emulateMedia({ colorScheme: "light", forcedColors: "none", ...media });
    if (name.startsWith("landing")) site.headers = landingHeaders;
    await tab.goto(site.origin + pathOf(name));
    return tab;
  }

  it("the address is copied with a click, and can be selected without a script", async () => {
    await context.grantPermissions(["clipboard-read", "clipboard-write"], { origin: site.origin });
    const page = await open("landing");
    await page.click("#copy");
    await page.getByRole("button", { name: "Copied" }).waitFor();
    expect(await page.evaluate("navigator.clipboard.readText()")).toBe(await page.inputValue("#address"));
    const plain = await browser.newPage({ javaScriptEnabled: false });
    await plain.goto(site.origin + pathOf("landing"));
    expect(await plain.locator("#copy").isVisible()).toBe(false);
    await plain.close();
  });

  it.each(names.filter((name) => pages[name]?.includes('value="allow"')))(
    "“%s” has Allow in sight in a window of 1000 × 800",
    async (name) => {
      // On a phone, the answer goes to a web address; warnings and errors take more room.
      for (const [width, height] of [[1000, 800], ...(name === "https" ? [[390, 844]] : [])] as const) {
        await tab.setViewportSize({ width: width ?? 0, height: height ?? 0 });
        await tab.goto(site.origin + pathOf(name));
        await tab.evaluate("scrollTo(0, 0)");
        const box = await tab.locator('[value="allow"]').boundingBox();
        expect((box?.y ?? 800) + (box?.height ?? 0)).toBeLessThan(height ?? 0);
      }
    },
  );

  const posts = () => site.received.filter(({ method }) => method === "POST");

  // Errors differ in their text alone, but for the one that leaves only Cancel.
  const alike = errorCodes.filter((code) => !["wrong_key", "tries_used_up"].includes(code));
  describe.each(IS_LONG ? names : names.filter((name) => !alike.some((code) => code === name)))(
    "“%s”",
    (name) => {
      let page: Page;
      beforeAll(async () => {
        page = await open(name);
      });

      it("is sound: language, title, landmarks, headings, labels, sizes", async () => {
        expect([...(await findFaults(page)), ...(await findControlFaults(page))]).toEqual([]);
      });

      it("is read in both themes, with enough contrast", async () => {
        for (const colorScheme of themes) {
          await page.emulateMedia({ colorScheme });
          expect(await findFaint(page)).toEqual([]);
          const ground = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
          expect(ground).toBe(colorScheme === "light" ? "rgb(245, 246, 248)" : "rgb(19, 20, 23)");
        }
      });

      it("has text that is large enough to read, and nothing that moves", async () => {
        const [smallest, moving] = await page.evaluate(() => {
          const styles = [...document.querySelectorAll("body *")].map((element) => getComputedStyle(element));
          return [
            Math.min(...styles.map(({ fontSize }) => Number.parseFloat(fontSize))),
            styles.filter((style) => style.transitionDuration !== "0s" || style.animationName !== "none")
              .length,
          ];
        });
        expect(smallest).toBeGreaterThanOrEqual(14);
        expect(moving).toBe(0);
      });

      it("fits every width, even with letters twice as large, in lines of readable length", async () => {
        for (const width of [320, 640, 1024, 1440]) {
          await page.setViewportSize({ width, height: 800 });
          const overflows = await page.evaluate(() => {
            const { documentElement: root } = document;
            const measure = () => root.scrollWidth - root.clientWidth;
            const plain = measure();
            root.style.fontSize = "32px";
            const large = measure();
            root.style.fontSize = "";
            return { plain, large };
          });
          expect([width, overflows]).toEqual([width, { plain: 0, large: 0 }]);
        }
        // The narrowest of the common fonts, where it is installed. The page's width holds 67 letters of it, and 58 of DejaVu
        // Sans: which font a machine has is not the page's choice. So its promise has some room, below the 80 of WCAG 1.4.8.
        await page.evaluate(() => {
          document.body.style.fontFamily = "Arial, Liberation Sans";
        });
        expect(await measureLines(page)).toBeLessThanOrEqual(75);
      });
    },
  );

  it("with forced colours every control, name and warning keeps its edge", async () => {
    for (const name of ["wrong_key", "loopback", "demo"]) {
      const page = await open(name, { forcedColors: "active" });
      const edges = await page
        .locator("input:visible, button, .name, .warning, .notice, .error")
        .evaluateAll((found) =>
          found.map((element) => {
            const { borderLeftWidth, borderLeftStyle, borderLeftColor } = getComputedStyle(element);
            const ground = getComputedStyle(document.body).backgroundColor;
            return (
              Number.parseFloat(borderLeftWidth) >= 1 &&
              borderLeftStyle === "solid" &&
              borderLeftColor !== ground
            );
          }),
        );
      expect(edges.length).toBeGreaterThanOrEqual(5);
      expect(edges).not.toContain(false);
    }
  });

  it("a heading keeps its distance from what follows, and Allow is in sight", async () => {
    const page = await open("landing on this machine");
    const gaps = await page.locator("h2").evaluateAll((headings) =>
      headings.map((heading) => {
        const next = heading.nextElementSibling?.getBoundingClientRect().top ?? 0;
        return next - heading.getBoundingClientRect().bottom;
      }),
    );
    expect(gaps.length).toBeGreaterThan(1);
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(8);
    site.pages["/logs"] = consent({ service: "access logs" });
    const size = tab.viewportSize();
    await tab.setViewportSize({ width: 1000, height: 800 });
    await tab.goto(`${site.origin}/logs`);
    const allow = await tab.getByRole("button", { name: "Allow" }).boundingBox();
    if (size) await tab.setViewportSize(size);
    expect((allow?.y ?? 800) + (allow?.height ?? 0)).toBeLessThan(800);
  });

  it("Tab follows the visual order, and the focus is visible", async () => {
    expect(await followTab(await open("https"))).toEqual(["api_key", "Allow", "Cancel"]);
    expect(await followTab(await open("landing"))).toEqual([
      "address",
      "Copy",
      "an API key",
      "Add to Cursor",
      "Add to VS Code",
      "llms.txt",
      "OpenAPI document",
    ]);
    expect(await followTab(await open("refused"))).toEqual([
      "What this server is, and how to connect an application",
    ]);
  });

  it("the keyboard selects the whole address to add", async () => {
    const page = await open("landing");
    await page.keyboard.press("Tab");
    expect(await page.evaluate(() => String(getSelection()))).toBe("https://mcp.example.com/mcp");
  });

  it.each(hostileNames)("the name $name is a single text in its frame", async ({ name, shown }) => {
    site.pages["/named"] = consent({ application: { name } });
    await tab.goto(`${site.origin}/named`);
    const found = await tab.evaluate(() => {
      const frames = [...document.querySelectorAll(".name")];
      return {
        texts: frames.map((frame) => frame.textContent),
        within: document.querySelectorAll(".name *").length,
        called: document.querySelector<HTMLElement>(".called")?.innerText,
        styles: frames
          .map((frame) => getComputedStyle(frame))
          .map((style) => [style.unicodeBidi, style.overflow]),
      };
    });
    expect(found).toEqual({
      texts: [shown],
      within: 0,
      called: expect.stringMatching(/^It calls itself/),
      // Isolated, and clipped at its frame.
      styles: [["isolate", "hidden"]],
    });
  });

  describe("the form", () => {
    const back = () => {
      site.answer = { location: `${client.origin}/callback?code=1` };
    };

    it("sends its fields and no others, from its own origin, when Enter is pressed in the field", async () => {
      back();
      const page = await open("https");
      await page.getByLabel("API key").fill(" ké&y=1 ");
      await page.keyboard.press("Enter");
      await page.waitForURL(`${client.origin}/callback?code=1`);
      expect(posts()).toEqual([
        {
          method: "POST",
          url: "/oauth/consent",
          origin: site.origin,
          type: "application/x-www-form-urlencoded",
          body: [
            ["csrf", "csrf-token"],
            ["api_key", " ké&y=1 "],
            ["decision", "allow"],
          ],
        },
      ]);
    });

    it.each([
      ["Allow", "allow", "a-key"],
      ["Cancel", "cancel", ""],
      ["Cancel", "cancel", "a-key"],
    ])("%s sends %s, with the key %j", async (button, decision, key) => {
      back();
      const page = await open("https");
      await page.getByLabel("API key").fill(key);
      await page.getByRole("button", { name: button }).click();
      await page.waitForURL(`${client.origin}/callback?code=1`);
      expect(posts().map(({ body }) => body)).toEqual([
        [
          ["csrf", "csrf-token"],
          ["api_key", key],
          ["decision", decision],
        ],
      ]);
    });

    it("is not sent by Allow without a key", async () => {
      const page = await open("https");
      await page.getByRole("button", { name: "Allow" }).click();
      expect(await page.locator("input:invalid").getAttribute("name")).toBe("api_key");
      expect(await page.evaluate(() => document.activeElement?.id)).toBe("api_key");
      expect(posts()).toEqual([]);
    });

    it("has the demonstration's key in it", async () => {
      back();
      const page = await open("demo");
      await page.getByRole("button", { name: "Allow" }).click();
      await page.waitForURL(`${client.origin}/callback?code=1`);
      expect(posts()[0]?.body).toContainEqual(["api_key", "demo-key-of-acme"]);
    });

    it("does not show the key, nor keep it in the next page", async () => {
      site.answer = { html: consent({ error: { code: "wrong_key" } }) };
      const page = await open("https");
      expect(await page.getByLabel("API key").getAttribute("type")).toBe("password");
      await page.getByLabel("API key").fill("the-secret");
      await page.keyboard.press("Enter");
      await page.getByRole("alert").waitFor();
      expect(await page.content()).not.toContain("the-secret");
      expect(await page.getByLabel("API key").inputValue()).toBe("");
    });

    it("leaves only Cancel after too many keys, with the focus and the reason", async () => {
      site.answer = { html: consent({ error: { code: "tries_used_up" } }) };
      const page = await open("https");
      await page.getByLabel("API key").fill("x");
      await page.keyboard.press("Enter");
      const said = await page.getByRole("alert").innerText();
      expect(await page.getByRole("button", { name: "Allow" }).isDisabled()).toBe(true);
      expect(await page.getByLabel("API key").isDisabled()).toBe(true);
      const session = await context.newCDPSession(page);
      const { nodes } = await session.send("Accessibility.getFullAXTree");
      await session.detach();
      const cancel = nodes.find(({ role, name }) => role?.value === "button" && name?.value === "Cancel");
      expect(cancel?.description?.value).toBe(said);
      expect(cancel?.properties).toContainEqual({
        name: "focused",
        value: { type: "booleanOrUndefined", value: true },
      });
    });

    const retryable = errorCodes.filter((code) => code !== "tries_used_up");
    it.each(IS_LONG ? retryable : ["wrong_key" as const, "rate_limited" as const])(
      "says %s beside the field, where the focus is",
      async (code) => {
        site.answer = { html: consent({ error: { code, retryAfter: 30 } }) };
        const page = await open("https");
        await page.getByLabel("API key").fill("x");
        await page.keyboard.press("Enter");
        const said = await page.getByRole("alert").innerText();
        const session = await context.newCDPSession(page);
        const { nodes } = await session.send("Accessibility.getFullAXTree");
        const field = nodes.find((node) => node.role?.value === "textbox");
        const states = Object.fromEntries(
          field?.properties?.map(({ name, value }) => [name, value.value]) ?? [],
        );
        expect(field?.name?.value).toBe("API key");
        expect(field?.description?.value).toBe(`${said} The API key that stats.example.com gave you.`);
        expect(states).toMatchObject({
          focused: true,
          required: true,
          invalid: code.endsWith("_key") ? "true" : "false",
        });
        expect(await page.title()).toMatch(/^Error: /);
        await session.detach();
        const [alert, input] = await Promise.all(
          [page.getByRole("alert"), page.getByLabel("API key")].map((element) => element.boundingBox()),
        );
        const gap = (input?.y ?? 0) - ((alert?.y ?? 0) + (alert?.height ?? 0));
        expect(gap).toBeGreaterThanOrEqual(0);
        expect(gap).toBeLessThan(24);
      },
    );

    it("leaves the focus at the top if there is no error, so that screen readers begin with who asks", async () => {
      const page = await open("https");
      expect(await page.evaluate(() => document.activeElement?.tagName)).toBe("BODY");
    });
  });

  describe("the redirect", () => {
    const ways = [["loopback"], ["cursor"], ["com.example.app"]];
    const addressOf = (way: string) =>
      way === "loopback" ? `${client.origin}/callback?code=1` : `${way}://oauth/callback?code=1`;

    /** In a new tab: a tab that opened another program's link waits for that program. */
    async function allow(location: string, watch: (page: Page) => Promise<unknown>): Promise<unknown> {
      site.answer = { location };
      const page = await context.newPage();
      await page.goto(site.origin + pathOf("https"));
      await page.getByLabel("API key").fill("a-key");
      const [seen] = await Promise.all([watch(page), page.getByRole("button", { name: "Allow" }).click()]);
      await page.close();
      return seen;
    }

    it.each(ways)("leads to %s", async (way) => {
      const address = addressOf(way);
      // Waits for the page to load: Chromium can hang when a loading tab is closed.
      const watch = (page: Page) =>
        way === "loopback" ? page.waitForURL(address) : page.waitForRequest(address);
      await allow(address, watch);
      expect(posts()).toHaveLength(1);
    });

    it.each(ways)("would not lead to %s with form-action", async (way) => {
      const policy = pageHeaders["Content-Security-Policy"];
      site.headers = { ...pageHeaders, "Content-Security-Policy": `${policy}; form-action 'self'` };
      const complain = async (page: Page) => (await page.waitForEvent("console")).text();
      expect(await allow(addressOf(way), complain)).toContain("form-action");
    });

    it("keeps its link to the window that opened it", async () => {
      client.pages["/wait"] = `${NO_ICON}<title>Waiting</title>`;
      site.answer = { location: `${client.origin}/callback?code=1` };
      await tab.goto(`${client.origin}/wait`);
      const [popup] = await Promise.all([
        tab.waitForEvent("popup"),
        tab.evaluate((url) => void window.open(url, "", "popup"), site.origin + pathOf("https")),
      ]);
      await popup.getByLabel("API key").fill("a-key");
      await popup.getByRole("button", { name: "Allow" }).click();
      await popup.waitForURL(`${client.origin}/callback?code=1`);
      expect(await popup.evaluate(() => window.opener?.document.title)).toBe("Waiting");
      await popup.close();
    });
  });

  it("no other page can frame them", async () => {
    client.pages["/frame"] = `<iframe src="${site.origin}${pathOf("https")}"></iframe>`;
    const complaint = tab.waitForEvent("console");
    await tab.goto(`${client.origin}/frame`);
    expect((await complaint).text()).toMatch(/frame-ancestors|X-Frame-Options/);
    expect(await tab.frames()[1]?.locator("form").count()).toBe(0);
    faults = [];
  });
});
