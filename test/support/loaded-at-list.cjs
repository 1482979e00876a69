"use strict";
// Required before the program: writes down which files it has loaded when it lists its tools.
const { writeFileSync } = require("node:fs");

const { stdout } = process;
const { write } = stdout;
stdout.write = (...args) => {
  const [chunk] = args;
  if (String(chunk).includes('"inputSchema"')) {
    writeFileSync(process.env.LOADED ?? "", JSON.stringify(Object.keys(require.cache)));
  }
  return Reflect.apply(write, stdout, args);
};
