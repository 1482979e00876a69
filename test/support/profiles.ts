import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";
import { type Profile, writeProfile } from "../../src/config/profiles.ts";

const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

/** A home of its own with these profiles in it, as an environment; it is gone after the file's tests. */
export function createHome(profiles: Record<string, Profile> = {}): {
  XDG_CONFIG_HOME: string;
  HOME: string;
} {
  const folder = mkdtempSync(join(tmpdir(), "home-"));
  const environment = { HOME: folder, XDG_CONFIG_HOME: join(folder, ".config") };
  folders.push(folder);
  for (const [name, profile] of Object.entries(profiles)) writeProfile(environment, name, profile);
  return environment;
}
