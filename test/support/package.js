import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { execFileSync } from "./child-process.js";

/**
 * Packs the project as it would be published and installs that tarball alone into an empty folder, as a
 * stranger would get it. Needs a build; touches no network.
 */
export function installPackage(folder = mkdtempSync(join(tmpdir(), "analytics-mcp-"))) {
  const npm = (/** @type {string[]} */ args, /** @type {string} */ cwd) =>
    execFileSync("npm", [...args, "--loglevel=error", "--no-update-notifier"], {
      cwd,
      encoding: "utf8",
      env: { HOME: folder },
    });
  const [{ filename, files, size, unpackedSize }] = JSON.parse(
    npm(["pack", "--ignore-scripts", "--json", "--pack-destination", folder], process.cwd()),
  );
  writeFileSync(join(folder, "package.json"), '{ "private": true }\n');
  npm(["install", "--offline", "--ignore-scripts", "--no-audit", join(folder, filename)], folder);
  return {
    folder,
    tarball: join(folder, filename),
    /** The command as npm links it. */
    bin: join(folder, "node_modules", ".bin", "analytics-mcp"),
    /** @type {string[]} */
    files: files.map((/** @type {{ path: string }} */ file) => file.path),
    size: Number(size),
    unpackedSize: Number(unpackedSize),
  };
}
