"use strict";
// Required before the program: writes down which of Node's own modules it has loaded when it ends.
const { writeFileSync } = require("node:fs");

process.once("exit", () =>
  writeFileSync(process.env.LOADED ?? "", Reflect.get(process, "moduleLoadList").join("\n")),
);
