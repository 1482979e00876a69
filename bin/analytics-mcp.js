#!/usr/bin/env node
// Any version of Node may run this file, so its syntax stays old enough for all of them to parse.
var version = process.versions.node.split(".").map(Number);
if (version[0] < 20 || (version[0] === 20 && version[1] < 19)) {
  process.stderr.write("analytics-mcp needs Node.js 20.19 or newer; this is " + process.version + ".\n");
  process.exit(1);
}
if (process.argv.length === 3 && /^(-[vV]|--version)$/.test(process.argv[2])) printVersion();
else start();

// Answers without loading the program. If that fails, as on a full disk, the program starts and reports why.
function printVersion() {
  try {
    require("node:fs").writeSync(1, require("../package.json").version + "\n");
  } catch (_) {
    start();
  }
}

function start() {
  keepCompiled();
  try {
    require("../dist/main.js");
  } catch (error) {
    process.stderr.write(
      isMissing(error) ? "analytics-mcp is not built: npm ci && npm run build.\n" : error.stack + "\n",
    );
    process.exit(1);
  }
}

function isMissing(error) {
  return error.code === "MODULE_NOT_FOUND" && /dist.main\.js/.test(error.message);
}

// From Node 22.1 on, compiled code is cached for the next start. Node's default folder is shared, so another user
// could plant code there; this one belongs to the user, and nobody else reads or writes it.
function keepCompiled() {
  var enable = require("node:module").enableCompileCache;
  if (!enable) return;
  var env = process.env;
  if (env.NODE_COMPILE_CACHE) return enable();
  var home = findHome();
  if (home === undefined) return;
  var usual =
    { darwin: home + "/Library/Caches", win32: env.LOCALAPPDATA }[process.platform] || home + "/.cache";
  // The XDG Base Directory Specification says to ignore a relative path.
  var xdg = require("node:path").isAbsolute(env.XDG_CACHE_HOME || "") && env.XDG_CACHE_HOME;
  var folder = (xdg || usual) + "/analytics-mcp/compiled";
  if (makePrivate(folder)) enable(folder);
}

// In a container, a user may have neither HOME nor a name, which makes Node throw.
function findHome() {
  try {
    return require("node:os").homedir();
  } catch (_) {}
}

// Whether the folder is there, and this user's own. Windows has no such owners and modes.
function makePrivate(folder) {
  var fs = require("node:fs");
  var stats;
  try {
    fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
    stats = fs.statSync(folder);
    if (!process.getuid) return true;
    if (stats.uid !== process.getuid()) return false;
    if ((stats.mode & 0o077) !== 0) fs.chmodSync(folder, 0o700);
    return true;
  } catch (_) {
    return false;
  }
}
