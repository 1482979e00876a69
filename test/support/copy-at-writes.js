import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { join, resolve, sep } from "node:path";

/**
 * Loaded into a process (`--import`) before its program: copies the folder `WATCHED` before each change to a file in it, into
 * `COPIES`, by the number of the change from 1. That is what the process would leave if it were killed there. A write counts
 * twice: the second time, half of it is written. All changes are listed on stderr at the end.
 */
const { WATCHED = "", COPIES = "" } = process.env;
const below = resolve(WATCHED) + sep;
/** @type {string[]} */
const changes = [];
/** @type {Map<unknown, string>} */
const opened = new Map();

/** @param {string} what */
function note(what) {
  const number = changes.push(what);
  // It may not be there yet.
  if (fs.existsSync(WATCHED)) fs.cpSync(WATCHED, join(COPIES, String(number)), { recursive: true });
}

/**
 * @param {"openSync" | "writeSync" | "fsyncSync" | "ftruncateSync" | "renameSync" | "rmSync" | "mkdirSync" | "writeFileSync"} name
 * @param {(target: string, args: unknown[], original: (...args: never[]) => unknown) => unknown} [begin]
 */
function watch(name, begin = () => {}) {
  const original = fs[name];
  const watched = (/** @type {never[]} */ ...args) => {
    const [target] = args;
    const path = typeof target === "number" ? (opened.get(target) ?? "") : resolve(String(target));
    if (path.startsWith(below)) {
      if (isChange(name, args)) note(`${name} ${path.slice(below.length)}`);
      begin(path, args, original);
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
  Reflect.apply(original, fs, [path, String(text).slice(0, String(text).length / 2)]);
  note(`half of writeFileSync ${path.slice(below.length)}`);
});
// Which names the position, so that the second time overwrites the first.
watch("writeSync", (path, [file, bytes, offset, length, position], original) => {
  Reflect.apply(original, fs, [file, bytes, offset, Math.floor(Number(length) / 2), position]);
  note(`half of writeSync ${path.slice(below.length)}`);
});
syncBuiltinESMExports();

process.once("exit", () => {
  process.stderr.write(`${changes.map((change) => `change: ${change}\n`).join("")}`);
});
