import { execFileSync } from "./child-process.js";

/** The version of Node that a binary is, as a number that grows with it: 22.13 is 2213. */
const versions = new Map(
  [process.execPath, ...(process.env.TEST_NODES ?? "").split(":").filter((node) => node !== "")].map(
    (node) => {
      const [, major = 0, minor = 0] = /^v(\d+)\.(\d+)/.exec(String(execFileSync(node, ["--version"]))) ?? [];
      return [node, Number(major) * 100 + Number(minor)];
    },
  ),
);

const versionOf = (node: string) => versions.get(node) ?? 0;

/** Other Node versions on this machine, the oldest first. `TEST_NODES` is a list of binaries, separated by colons. */
export const otherNodes = [...versions.keys()]
  .slice(1)
  .sort((one, other) => versionOf(one) - versionOf(other));

/** Of these and the one that runs the tests. */
export const newestNode = [process.execPath, ...otherNodes].reduce((newest, node) =>
  versionOf(node) > versionOf(newest) ? node : newest,
);

/** Whether it has `node:sqlite` without a flag. Older ones keep the connector's store in a file only with libsql. */
export const hasSqlite = (node: string) => versionOf(node) >= 2213;

/** Whether it keeps compiled code. */
export const hasCompileCache = (node: string) => versionOf(node) >= 2201;
