import type { Browser } from "playwright-core";
import PostalMime from "postal-mime";
import { chartPage } from "../../src/mcp/chart-pages.ts";
import { bundleHost, openStage } from "../mcp/chart/browser.ts";
import { connectInProcess } from "../support/clients.ts";
import { startTestConnector } from "../support/connector.ts";
import { buildRequest, register } from "../support/oauth-client.ts";
import { runShell } from "../support/shell.ts";

type Theme = "light" | "dark";

const SIZE = { width: 680, height: 400 };
/** The whole chart, as it is before anybody asks for more. */
const SHOWN = { width: SIZE.width, height: 880 };
const SCALE = 1.5;

/** The chart as a conversation shows it, with the demo's numbers at that moment (milliseconds since 1970). */
export async function photographChart(browser: Browser, theme: Theme, moment: number): Promise<Buffer> {
  const [client, hostPage] = await Promise.all([connectInProcess({ demo: true }), bundleHost()]);
  client.time.now = moment;
  const context = await browser.newContext({ deviceScaleFactor: SCALE });
  const result: unknown = await client.callTool("get_overview", { site: "example.com" });
  const openView = await openStage(context, hostPage);
  const view = await openView(chartPage, {
    ...SHOWN,
    context: { theme, locale: "en-US" },
    media: { colorScheme: theme },
  });
  await view.page.evaluate(async (sent) => {
    await window.host.result(sent as never);
    await window.host.settle();
  }, result);
  // The frame has its new height before it is painted.
  const painted = () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
  await view.page.evaluate(painted);
  await view.page.evaluate(painted);
  const screenshot = await view.page.screenshot({ clip: { ...SHOWN, x: 0, y: 0 } });
  if (screenshot.byteLength < 20_000) throw new Error("The picture of the chart is empty.");
  await Promise.all([context.close(), client.close()]);
  return screenshot;
}

/** The consent page. */
export async function photographConsent(browser: Browser, theme: Theme): Promise<Buffer> {
  const connector = await startTestConnector();
  const redirect_uri = "https://claude.ai/api/mcp/auth_callback";
  const { body } = await register(connector, { client_name: "Claude", redirect_uris: [redirect_uri] });
  const page = await browser.newPage({ colorScheme: theme, deviceScaleFactor: SCALE, viewport: SIZE });
  await page.goto(buildRequest(connector, { client_id: body.client_id, redirect_uri }).url);
  const screenshot = await page.screenshot({ fullPage: true });
  await page.close();
  await connector.close();
  return screenshot;
}

/** The report's page: its head, the chart and the first lists. */
const REPORT = { width: 760, height: 900 };

/** A report to share, with the demo's numbers at that moment. */
export async function photographReport(browser: Browser, moment: number): Promise<Buffer> {
  const argv = ["report", "--demo", "--period", "last-week", "-o", "-"];
  const { stdout } = await runShell(argv, { clock: () => moment });
  const page = await browser.newPage({ viewport: REPORT, colorScheme: "light" });
  await page.setContent(stdout);
  const screenshot = await page.screenshot();
  await page.close();
  return screenshot;
}

/** A page of `view`: only the visitors from one site, its head and first lists. */
const VIEW = { width: 900, height: 860 };

/** A page of `view`, with the demo's numbers at that moment and a filter. */
export async function photographView(browser: Browser, moment: number): Promise<Buffer> {
  let end = () => {};
  const stop = new Promise<void>((resolve) => {
    end = resolve;
  });
  let ended: ReturnType<typeof runShell> | undefined;
  const address = await new Promise<string>((resolve) => {
    const argv = ["view", "--demo", "--no-open", "--port", "0"];
    ended = runShell(argv, { clock: () => moment, stop, onStdout: (text) => resolve(text.trim()) });
  });
  const page = await browser.newPage({ viewport: VIEW, colorScheme: "light", javaScriptEnabled: false });
  await page.goto(`${address}example.com?filter=referrers%3Dnews.ycombinator.com`);
  const screenshot = await page.screenshot();
  await page.close();
  end();
  await ended;
  return screenshot;
}

/** As mail programs show it. */
const MAIL = { width: 600, height: 400 };

/** A report as a mail, with the demo's numbers at that moment. */
export async function photographMail(browser: Browser, moment: number): Promise<Buffer> {
  const argv = ["report", "--demo", "--period", "last-week", "--mail", "you@example.com"];
  const { stdout } = await runShell(argv, { clock: () => moment });
  const { html = "" } = await PostalMime.parse(stdout);
  const page = await browser.newPage({ deviceScaleFactor: SCALE, viewport: MAIL });
  await page.setContent(html);
  const screenshot = await page.screenshot({ fullPage: true });
  await page.close();
  return screenshot;
}
