import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Profile, writeProfile } from "../../src/config/profiles.ts";

/** A home of its own with these profiles in it, as an environment. */
export function createHome(profiles: Record<string, Profile> = {}): {
  XDG_CONFIG_HOME: string;
  HOME: string;
} {
  const folder = mkdtempSync(join(tmpdir(), "home-"));
  const environment = { HOME: folder, XDG_CONFIG_HOME: join(folder, ".config") };
  for (const [name, profile] of Object.entries(profiles)) writeProfile(environment, name, profile);
  return environment;
}
