import type { McpUiHostContext } from "@modelcontextprotocol/ext-apps/app-bridge";
import { build } from "esbuild";
import type { BrowserContext, Page } from "playwright-core";

const HOST = "http://host.test/";
const SANDBOX = "http://sandbox.test/";

/** The policy that the extension (2026-01-26) demands from a host for a page that declares no domains. */
const CSP = [
  "default-src 'none'",
  "script-src 'self' 'unsafe-inline'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "media-src 'self' data:",
  "connect-src 'none'",
  "frame-src 'none'",
  "object-src 'none'",
  "base-uri 'self'",
].join("; ");

/** Passes messages between the host and the view. The view inherits the policy of this page. */
const SANDBOX_PAGE = `<!doctype html><style>html, body, iframe { margin: 0; border: 0; width: 100%; height: 100%; display: block }</style>
<body><script>
let view;
addEventListener("message", ({ source, data }) => {
  if (source !== parent) { if (view && source === view.contentWindow) parent.postMessage(data, "*"); return; }
  if (data.method !== "ui/notifications/sandbox-resource-ready") return view.contentWindow.postMessage(data, "*");
  view = document.createElement("iframe");
  view.sandbox = data.params.sandbox;
  view.srcdoc = data.params.html;
  document.body.append(view);
});
parent.postMessage({ jsonrpc: "2.0", method: "ui/notifications/sandbox-proxy-ready", params: {} }, "*");
</script>`;

/** The host's page, bundled with the extension's own bridge. */
export async function bundleHost(): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: ["test/mcp/chart/host-page.ts"],
    bundle: true,
    write: false,
    minify: true,
    format: "iife",
    platform: "browser",
    target: "es2022",
    tsconfig: "tsconfig.browser.json",
  });
  const script = outputFiles[0]?.text.replaceAll("</script", "<\\/script");
  return `<!doctype html><style>body { margin: 0 } iframe { display: block; border: 0; width: 100%; height: 60px }</style><body><script>${script}</script>`;
}

export interface ViewOptions {
  width?: number;
  height?: number;
  context?: McpUiHostContext;
  media?: NonNullable<Parameters<Page["emulateMedia"]>[0]>;
}

/** Where views open one after the other, each in a host of its own: in a page that stays, since a new one is expensive. */
export async function openStage(browsing: BrowserContext, hostPage: string) {
  const page = await browsing.newPage();
  /** Of the view that is open. */
  let faults: string[] = [];
  const report = (fault: string) => void faults.push(fault);
  await page.exposeFunction("reportFault", report);
  await page.addInitScript(() => {
    const report = (fault: string) =>
      (window as unknown as { reportFault: (f: string) => void }).reportFault(fault);
    addEventListener("securitypolicyviolation", (event) =>
      report(`policy: ${event.violatedDirective} ${event.blockedURI}`),
    );
  });
  page.on("pageerror", (error) => report(`error: ${error.message}`));
  await page.route("**/*", async (route) => {
    const url = route.request().url();
    if (url === HOST) return route.fulfill({ contentType: "text/html", body: hostPage });
    if (url === SANDBOX)
      return route.fulfill({
        contentType: "text/html",
        body: SANDBOX_PAGE,
        headers: { "content-security-policy": CSP },
      });
    return route.abort();
  });
  page.on("request", (request) => {
    if (![HOST, SANDBOX].includes(request.url())) report(`request: ${request.url()}`);
  });
  const view = page.frameLocator("iframe").frameLocator("iframe");

  /** Opens a view in its host in place of the last one, and records everything that it may not do (`faults`). */
  return async (html: string, options: ViewOptions = {}) => {
    const { width = 640, height = 900, context = { theme: "light", locale: "en-US" }, media } = options;
    await page.goto(HOST);
    const found: string[] = [];
    faults = found;
    await page.setViewportSize({ width, height });
    await page.mouse.move(0, 0);
    await page.emulateMedia({ colorScheme: null, forcedColors: null, ...media });
    await page.evaluate(
      async ({ sandbox, html, context }) => {
        window.host = window.createHost(sandbox);
        await window.host.open(html, context as never);
      },
      { sandbox: SANDBOX, html, context: context as unknown },
    );
    return { page, faults: found, view, main: view.locator("main") };
  };
}

export type OpenedView = Awaited<ReturnType<Awaited<ReturnType<typeof openStage>>>>;
