import { readFileSync } from "node:fs";
import { type Plugin, transform } from "esbuild";

/**
 * Leaves out Ajv, which the SDK loads to check what a person fills into a form: this server asks for no forms. On Node 20,
 * the tools are listed 7 ms sooner, and the tarball is 44 kB smaller. The SDK has other runtimes put their own validator
 * at `_shims`.
 */
export const withoutAjv: Plugin = {
  name: "without-ajv",
  setup: ({ onResolve, onLoad }) => {
    const filter = /^@modelcontextprotocol\/server\/_shims$/;
    onResolve({ filter }, ({ path }) => ({ path, namespace: "shims" }));
    onLoad({ filter, namespace: "shims" }, () => ({
      contents: `export { default as process } from "node:process";
        export class DefaultJsonSchemaValidator {
          getValidator() { throw new Error("This server has no validator of JSON Schema."); }
        }`,
    }));
  },
};

/**
 * Takes only the dispatchers of undici, without HTTP/2, caches, mocks and web sockets, which are 40 % of its code: over
 * HTTP the first call is answered 20 to 30 ms sooner, and the tarball is 67 kB smaller. undici has no entry of its own for
 * them.
 */
export const undiciInPart: Plugin = {
  name: "undici-in-part",
  setup: ({ onLoad }) => {
    // Used only with the option allowH2, and it loads Node's HTTP/2.
    onLoad({ filter: /node_modules.undici.lib.dispatcher.client-h2\.js$/ }, () => ({ contents: "" }));
    onLoad({ filter: /node_modules.undici.index\.js$/ }, () => ({
      contents: `
        Object.assign(require("./lib/dispatcher/dispatcher").prototype, require("./lib/api"));
        exports.Agent = require("./lib/dispatcher/agent");
        exports.Pool = require("./lib/dispatcher/pool");
        exports.EnvHttpProxyAgent = require("./lib/dispatcher/env-http-proxy-agent");`,
    }));
  },
};

/**
 * Keeps the names of oidc-provider's classes, by which it finds lifetimes and kinds: minifying would change them. Its entry
 * loses its own check of Node's version, which writes a line to stderr, where each line is an event of the connector's log:
 * `doctor` says what a version of Node lacks.
 */
export const provider: Plugin = {
  name: "provider",
  setup: ({ onLoad }) => {
    onLoad({ filter: /node_modules.oidc-provider.lib.index\.js$/ }, () => ({
      contents: `import { Provider } from "./provider.js";
        export default Provider;
        export * as errors from "./helpers/errors.js";`,
    }));
    onLoad({ filter: /node_modules.oidc-provider.lib.*\.js$/ }, async ({ path }) => ({
      contents: (await transform(readFileSync(path, "utf8"), { keepNames: true })).code,
    }));
  },
};

/**
 * Of hyparquet's entry, takes only what hyparquet-writer imports from it. Otherwise the writer, which every start with access
 * logs loads, would bring the reader: 38 kB that only a question with a filter needs.
 */
export const hyparquetInPart: Plugin = {
  name: "hyparquet-in-part",
  setup: ({ onLoad }) =>
    onLoad({ filter: /node_modules.hyparquet.src.(index|node)\.js$/ }, () => ({
      contents: `export { parquetSchema } from "./metadata.js"; export { toJson } from "./utils.js";`,
    })),
};

/**
 * Leaves out nodemailer's list of types of files, by which it names attachments, and what it fetches them with: a report's mail has
 * none. The tarball is 25 kB smaller.
 */
export const mailInPart: Plugin = {
  name: "mail-in-part",
  setup: ({ onLoad }) => {
    onLoad({ filter: /node_modules.nodemailer.dist.esm.mime-funcs.mime-types\.js$/ }, () => ({
      contents: `export const detectMimeType = () => "application/octet-stream";
        export const detectExtension = () => "bin";`,
    }));
    onLoad({ filter: /node_modules.nodemailer.dist.esm.fetch.index\.js$/ }, () => ({
      contents: `export default () => { throw new Error("Mails fetch nothing."); };`,
    }));
  },
};

/** Types that oidc-provider and Koa send, accept or compare; one that both name in full needs no entry. */
export const MIME_TYPES = [
  "application/json",
  "application/jwt",
  "application/octet-stream",
  "application/x-www-form-urlencoded",
  "text/html",
  "text/plain",
];

/** Of the list of all media types, by which Koa sets `Content-Type`, takes those in use: the tarball is 27 kB smaller. */
export const mimeInPart: Plugin = {
  name: "mime-in-part",
  setup: ({ onLoad }) =>
    onLoad({ filter: /node_modules.mime-db.db\.json$/ }, ({ path }) => ({
      contents: JSON.stringify(pickTypes(JSON.parse(readFileSync(path, "utf8")))),
      loader: "json",
    })),
};

export const pickTypes = (all: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(MIME_TYPES.map((type) => [type, all[type]]));
