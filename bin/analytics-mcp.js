#!/usr/bin/env node
// Read by whichever Node a person has, so it keeps to syntax that any of them can parse.
var version = process.versions.node.split(".").map(Number);
if (version[0] < 20 || (version[0] === 20 && version[1] < 19)) {
  process.stderr.write("analytics-mcp needs Node.js 20.19 or newer; this is " + process.version + ".\n");
  process.exit(1);
}
if (process.argv.length === 3 && /^(-V|--version)$/.test(process.argv[2])) printVersion();
else start();

// Scripts ask for it, and people who wonder whether it works: no reason to load the program, but on a full disk.
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

// From Node 22.1 on, compiled code is kept for the next start: in a folder of the person's own, not in Node's usual
// one, where whoever else uses the machine might put theirs.
function keepCompiled() {
  var enable = require("node:module").enableCompileCache;
  if (!enable) return;
  var env = process.env;
  if (env.NODE_COMPILE_CACHE) return enable();
  var home = require("node:os").homedir();
  var usual =
    { darwin: home + "/Library/Caches", win32: env.LOCALAPPDATA }[process.platform] || home + "/.cache";
  // A relative path is to be ignored (XDG Base Directory Specification).
  var xdg = require("node:path").isAbsolute(env.XDG_CACHE_HOME || "") && env.XDG_CACHE_HOME;
  enable((xdg || usual) + "/analytics-mcp/compiled");
}
