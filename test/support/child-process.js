import * as node from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

/**
 * Node's functions to start programs, for tests. What they start gets PATH, an empty home of its own and the `env` that
 * the test names, and nothing else from the developer's environment: a saved profile would change the results. The linter
 * refuses `node:child_process` in every other file under test/.
 */

/** @typedef {node.ChildProcess} ChildProcess */

/** The folder of those homes. In a test it is removed after the file's last test, by private-home.ts. */
export const homes = mkdtempSync(join(tmpdir(), "homes-"));
process.once("exit", () => rmSync(homes, { recursive: true, force: true }));

export const createHomeFolder = () => mkdtempSync(join(homes, "home-"));

let named = 0;
/** A home that does not exist yet, for what runs in this process: few of these programs write anything. */
export const nameHomeFolder = () => join(homes, `home-${++named}`);

/**
 * The whole environment of a program. The XDG folders are left unset, so all of them are inside HOME. `NODE_COMPILE_CACHE` is passed
 * on: in a new home, each program would compile the same again.
 *
 * @param {NodeJS.ProcessEnv} [env] What the program gets as well; it may name another HOME.
 * @returns {Record<string, string>}
 */
export function buildEnvironment(env = {}) {
  const HOME = env.HOME ?? createHomeFolder();
  const { PATH = "", NODE_COMPILE_CACHE } = process.env;
  return { PATH, LANG: "C.UTF-8", ...(NODE_COMPILE_CACHE && { NODE_COMPILE_CACHE }), ...env, HOME };
}

/**
 * Passes on everything but the environment, so the overloads of Node's own function hold for the result.
 *
 * @template {(...args: never[]) => unknown} Start
 * @param {Start} start
 * @returns {Start}
 */
function withOwnHome(start) {
  /** @type {(file: string, args?: readonly string[], options?: node.CommonOptions) => unknown} */
  const started = (file, args = [], options = {}) =>
    Reflect.apply(start, undefined, [file, args, { ...options, env: buildEnvironment(options.env) }]);
  return /** @type {Start} */ (/** @type {unknown} */ (started));
}

export const spawn = withOwnHome(node.spawn);
export const spawnSync = withOwnHome(node.spawnSync);
export const execFile = withOwnHome(promisify(node.execFile));
export const execFileSync = withOwnHome(node.execFileSync);
