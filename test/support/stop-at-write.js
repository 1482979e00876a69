import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { resolve, sep } from "node:path";

/**
 * Loaded into a process (`--import`) before its program: kills it before one of its changes to the files below the folder
 * `STOP_BELOW`, the one with the number `STOP_AT`. A write counts twice: the second time, half of it is written. Without
 * `STOP_AT`, it lists all changes on stderr when it ends.
 */
const below = resolve(process.env.STOP_BELOW ?? "") + sep;
const stopAt = Number(process.env.STOP_AT ?? "0");
/** @type {string[]} */
const changes = [];
/** @type {Map<unknown, string>} */
const opened = new Map();

/** @param {string} what */
const isStop = (what) => changes.push(what) === stopAt;
const stop = () => process.kill(process.pid, "SIGKILL");

/**
 * @param {"openSync" | "writeSync" | "fsyncSync" | "ftruncateSync" | "renameSync" | "rmSync" | "mkdirSync" | "writeFileSync"} name
 * @param {(target: string, args: unknown[], original: (...args: never[]) => unknown) => unknown} [before]
 */
function watch(name, before = () => {}) {
  const original = fs[name];
  const watched = (/** @type {never[]} */ ...args) => {
    const [target] = args;
    const path = typeof target === "number" ? (opened.get(target) ?? "") : resolve(String(target));
    if (path.startsWith(below)) {
      before(path, args, original);
      if (isChange(name, args) && isStop(`${name} ${path.slice(below.length)}`)) stop();
    }
    const result = Reflect.apply(original, fs, args);
    if (name === "openSync") opened.set(result, path);
    return result;
  };
  Reflect.set(fs, name, watched);
}

/**
 * Opening to read changes nothing.
 *
 * @param {string} name
 * @param {unknown[]} args
 */
const isChange = (name, args) => name !== "openSync" || (Number(args[1]) & fs.constants.O_CREAT) !== 0;

watch("openSync");
watch("fsyncSync");
watch("ftruncateSync");
watch("renameSync");
watch("rmSync");
watch("mkdirSync");
watch("writeFileSync", (path, [, text], original) => {
  if (!isStop(`half of writeFileSync ${path.slice(below.length)}`)) return;
  Reflect.apply(original, fs, [path, String(text).slice(0, String(text).length / 2)]);
  stop();
});
watch("writeSync", (path, [file, bytes, offset, length, position], original) => {
  if (!isStop(`half of writeSync ${path.slice(below.length)}`)) return;
  Reflect.apply(original, fs, [file, bytes, offset, Math.floor(Number(length) / 2), position]);
  stop();
});
syncBuiltinESMExports();

process.once("exit", () => {
  if (stopAt === 0) process.stderr.write(`${changes.map((change) => `change: ${change}\n`).join("")}`);
});
