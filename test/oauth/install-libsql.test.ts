import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { adviseOnLibsql } from "../../src/oauth/store/install-libsql.ts";
import { createFolder } from "./stores.ts";

it("libsql is installed where this program looks for it", () => {
  const { folder: project, remove } = createFolder();
  const inside = (folder: string) => adviseOnLibsql(join(folder, "node_modules/analytics-mcp/dist/main.js"));
  writeFileSync(join(project, "package.json"), "{}");
  expect(inside(project)).toBe(`run npm install --prefix ${project} libsql`);
  remove();
  expect(inside("/opt/own tools/lib")).toBe("run npm install --global --prefix '/opt/own tools' libsql");
  expect(inside("/root/.npm/_npx/0a1b")).toBe("run npx -p libsql -p analytics-mcp analytics-mcp serve …");
  for (const folder of ["/pnpm/.pnpm/analytics-mcp@0.1.0", "/clone"])
    expect(inside(folder)).toBe("run npm install --global analytics-mcp libsql");
  expect(adviseOnLibsql("/clone/src/main.ts")).toBe("run npm install --global analytics-mcp libsql");
});
