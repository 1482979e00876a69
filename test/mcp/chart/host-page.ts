import type { CallToolResult } from "@modelcontextprotocol/client";
import {
  AppBridge,
  type McpUiHostContext,
  PostMessageTransport,
} from "@modelcontextprotocol/ext-apps/app-bridge";

/** A host in a browser, as the extension describes it: the view is sandboxed in a frame of another origin. */
function createHost(sandboxUrl: string) {
  const outer = document.createElement("iframe");
  outer.sandbox.add("allow-scripts", "allow-same-origin");
  const sizes: { width?: number | undefined; height?: number | undefined }[] = [];
  const fromView: { method?: string; id?: unknown; error?: { code: number }; params?: unknown }[] = [];
  let bridge: AppBridge | undefined;

  window.addEventListener("message", ({ source, data }) => {
    if (source === outer.contentWindow) fromView.push(data);
  });

  return {
    sizes,
    fromView,
    /** Resolves when the view has reported that it is initialized. */
    open: async (html: string, hostContext: McpUiHostContext) => {
      document.body.append(outer);
      const frame = outer.contentWindow;
      if (!frame) throw new Error("The frame has no window.");
      const opened = new AppBridge(null, { name: "test-host", version: "1" }, {}, { hostContext });
      bridge = opened;
      opened.addEventListener("sandboxready", () =>
        opened.sendSandboxResourceReady({ html, sandbox: "allow-scripts" }),
      );
      opened.addEventListener("sizechange", (size) => {
        sizes.push(size);
        if (size.height !== undefined) outer.style.height = `${size.height}px`;
      });
      const ready = new Promise<void>((resolve) => opened.addEventListener("initialized", () => resolve()));
      await opened.connect(new PostMessageTransport(frame, frame));
      outer.src = sandboxUrl;
      await ready;
    },
    input: (args: Record<string, unknown>) => bridge?.sendToolInput({ arguments: args }),
    result: (result: CallToolResult) => bridge?.sendToolResult(result),
    cancel: (reason?: string) => bridge?.sendToolCancelled(reason === undefined ? {} : { reason }),
    context: (context: McpUiHostContext) => bridge?.setHostContext(context),
    teardown: () => bridge?.teardownResource({}),
    /** Resolves when the view has handled everything sent to it. */
    settle: async () => {
      const id = `settled ${fromView.length} ${Math.random()}`;
      outer.contentWindow?.postMessage({ jsonrpc: "2.0", id, method: "ping" }, "*");
      while (!fromView.some((message) => message.id === id))
        await new Promise((resolve) => setTimeout(resolve, 5));
    },
    /** Sends a message unchanged through the sandbox. */
    raw: (message: unknown) => outer.contentWindow?.postMessage(message, "*"),
    /** Sends a message to the view from this window, which does not embed it. */
    forge: (message: unknown) => outer.contentWindow?.frames[0]?.postMessage(message, "*"),
  };
}

declare global {
  interface Window {
    createHost: typeof createHost;
    host: ReturnType<typeof createHost>;
  }
}

window.createHost = createHost;
