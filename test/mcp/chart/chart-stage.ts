import type { McpUiHostContext } from "@modelcontextprotocol/ext-apps/app-bridge";
import type { Browser, BrowserContext, Locator } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect } from "vitest";
import { chartPage } from "../../../src/mcp/chart-pages.ts";
import type { Overview } from "../../../src/reports/overview.ts";
import { launch } from "../../support/browser.ts";
import { connectInProcess, type ToolResult } from "../../support/clients.ts";
import { bundleHost, type OpenedView, openStage, type ViewOptions } from "./browser.ts";

/** The demo has every number: one that is missing is not a number here, and no page shows it. */
export const known = (value: number | null | undefined) => value ?? Number.NaN;
export const count = (value: number | null | undefined) =>
  new Intl.NumberFormat("en-US").format(known(value));
export const words = async (locator: Locator) => (await locator.innerText()).replace(/\s+/g, " ").trim();

export interface WithNotes {
  notes: string[];
}
/** What a model gets, and what only the chart gets. */
export const overviewOf = ({ structuredContent, _meta }: ToolResult) =>
  ({
    ...structuredContent,
    ...(_meta?.["analytics-mcp/chart"] as object),
  }) as unknown as Overview & WithNotes;

/** Opens charts of the demo in Chromium, for the tests of one `describe`. */
export function useCharts() {
  const client = connectInProcess({ demo: true });
  afterAll(async () => (await client).close());
  let browser: Browser;
  let context: BrowserContext;
  let openView: Awaited<ReturnType<typeof openStage>>;
  /** What tests may show one result after the other in, until one opens a view of its own. */
  let standing: OpenedView | undefined;
  let opened: OpenedView[] = [];

  beforeAll(async () => {
    const [launched, hostPage] = await Promise.all([launch(), bundleHost()]);
    browser = launched;
    context = await browser.newContext();
    openView = await openStage(context, hostPage);
  });
  afterAll(() => browser.close());
  afterEach(() => {
    const views = [...opened, ...(standing ? [standing] : [])];
    opened = [];
    // No test may make the page leave its sandbox, break the host's policy or throw.
    expect(views.flatMap((view) => view.faults)).toEqual([]);
  });

  async function open(options: ViewOptions = {}): Promise<OpenedView> {
    if (standing) opened.push(standing);
    standing = undefined;
    const view = await openView(chartPage, options);
    opened.push(view);
    return view;
  }

  /** Sends a result, and shows all of it unless it is to stay as a conversation has it at first. */
  async function send({ page, main }: OpenedView, result: unknown, isOpen = true): Promise<void> {
    await page.evaluate(async (sent) => {
      await window.host.result(sent as never);
      await window.host.settle();
    }, result);
    if (!isOpen) return;
    await main.evaluate((element) => {
      for (const more of element.querySelectorAll<HTMLDetailsElement>("details.more")) more.open = true;
    });
  }

  /** Shows a result in a new view if a test needs special settings, otherwise in one that the tests share. */
  async function show(result: unknown, options?: ViewOptions): Promise<OpenedView> {
    if (!options && standing === undefined) standing = await open();
    const view = options ? await open(options) : (standing as OpenedView);
    await view.page.evaluate(() => window.host.input({}));
    await send(view, result);
    return view;
  }

  async function change({ page }: OpenedView, context: McpUiHostContext): Promise<void> {
    await page.evaluate(async (changed) => {
      window.host.context(changed as never);
      await window.host.settle();
    }, context as unknown);
  }

  return {
    ask: async (tool: string, args: Record<string, unknown>) => (await client).callTool(tool, args),
    newPage: () => context.newPage(),
    /** A view whose faults only its own test looks at. */
    openUnwatched: () => {
      standing = undefined;
      return openView(chartPage);
    },
    open,
    send,
    show,
    change,
  };
}
