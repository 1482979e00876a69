import { createHash } from "node:crypto";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";

/** An npm registry with one package, this one as it would be published. */
export async function startRegistry(manifest: { name: string; version: string }, tarball: string) {
  const packed = readFileSync(tarball);
  const server = createServer((request, response) => {
    if (request.url === "/package.tgz") return void response.end(packed);
    response.setHeader("content-type", "application/json");
    response.statusCode = request.url === `/${manifest.name}` ? 200 : 404;
    const integrity = `sha512-${createHash("sha512").update(packed).digest("base64")}`;
    const dist = { tarball: `${origin}/package.tgz`, integrity };
    const { name, version } = manifest;
    const versions = { [version]: { ...manifest, dist } };
    response.end(JSON.stringify({ name, "dist-tags": { latest: version }, versions }));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const origin = `http://127.0.0.1:${typeof address === "object" ? address?.port : address}`;
  return {
    origin,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
