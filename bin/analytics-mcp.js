#!/usr/bin/env node
// Read by whichever Node a person has, so it keeps to syntax that any of them can parse.
var version = process.versions.node.split(".").map(Number);
if (version[0] < 20 || (version[0] === 20 && version[1] < 19)) {
  process.stderr.write("analytics-mcp needs Node.js 20.19 or newer; this is " + process.version + ".\n");
  process.exit(1);
}
var nodeModule = process.getBuiltinModule("node:module");
if (process.argv.length === 3 && /^(-V|--version)$/.test(process.argv[2])) printVersion();
else start();

// Scripts ask for it, and people who wonder whether it works: no reason to load the program, but on a full disk.
function printVersion() {
  var fs = process.getBuiltinModule("node:fs");
  var self = fs.realpathSync(process.argv[1]);
  try {
    fs.writeSync(1, nodeModule.createRequire(self)("../package.json").version + "\n");
  } catch (_) {
    start();
  }
}

function start() {
  if (nodeModule.enableCompileCache) nodeModule.enableCompileCache();
  import("../dist/main.js").catch((error) => {
    var missing = error && error.code === "ERR_MODULE_NOT_FOUND" && /dist.main\.js/.test(error.message);
    process.stderr.write(
      missing ? "analytics-mcp is not built: npm ci && npm run build.\n" : error.stack + "\n",
    );
    process.exit(1);
  });
}
