import type { Command } from "commander";

/** Adds the option that finds the keys file. */
export const addKeysOption = <C extends Command>(command: C): C =>
  command.option(
    "--keys <file>",
    "file of organizations and hashes of their keys, for --logs and --clickhouse (or ANALYTICS_KEYS_FILE; see keys)",
  );
