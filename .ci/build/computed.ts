import type { Plugin } from "esbuild";

/** Modules whose exports are computed here once, not at each start. */
export const computedModules: Record<string, () => Promise<object>> = {
  "src/mcp/chart-pages.ts": () => import("../../src/mcp/chart-pages.ts"),
  "src/mcp/tool-list.ts": () => import("../../src/mcp/tool-list.ts"),
  "src/cli/commands/command-list.ts": () => import("../../src/cli/commands/command-list.ts"),
};

/** Puts what these modules export into the bundle as data, in place of their code. */
export const computed: Plugin = {
  name: "computed",
  setup: ({ onLoad }) => {
    for (const [path, load] of Object.entries(computedModules)) {
      onLoad(
        { filter: new RegExp(`${path.replaceAll("/", "[/\\\\]").replaceAll(".", "\\.")}$`) },
        async () => ({
          contents: Object.entries(await load())
            .map(([name, value]) => `export const ${name} = ${JSON.stringify(value)};`)
            .join("\n"),
        }),
      );
    }
  },
};
