import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";

const REQUIRE = /\brequire\("(\.\/chunk-[A-Z0-9]+\.js)"\)/g;

/**
 * Puts the chunks that `main.js` needs at once, whatever it is asked, into its own file: to find, read and compile a
 * dozen small ones takes a tenth of the program's start. Chunks that are loaded later ask it for them.
 *
 * @param {string} folder Of the build, in CommonJS.
 */
export function putTogether(folder) {
  /** @param {string} name */
  const read = (name) => readFileSync(`${folder}/${name}`, "utf8");
  /** @param {string} code */
  const listRequired = (code) => [...code.matchAll(REQUIRE)].map(([, name = ""]) => name);

  const needed = new Set(["./main.js"]);
  for (const name of needed) for (const each of listRequired(read(name))) needed.add(each);
  // In parentheses: V8 compiles such a function at once, where it would read others twice.
  const parts = [...needed].map(
    (name) => `${JSON.stringify(name)}:(function(module,exports,require){${read(name)}\n})`,
  );

  for (const name of readdirSync(folder).filter((each) => each.endsWith(".js"))) {
    if (needed.has(`./${name}`)) rmSync(`${folder}/${name}`);
    else {
      const code = read(name).replace(REQUIRE, (call, each) =>
        needed.has(each) ? `require("./main.js").part("${each}")` : call,
      );
      writeFileSync(`${folder}/${name}`, code);
    }
  }
  writeFileSync(
    `${folder}/main.js`,
    `const parts={${parts.join(",\n")}},loaded={};
exports.part=(name)=>{
if(!Object.hasOwn(parts,name))return require(name);
if(!Object.hasOwn(loaded,name))parts[name](loaded[name]={exports:{}},loaded[name].exports,exports.part);
return loaded[name].exports};
exports.part("./main.js");
`,
  );
}
