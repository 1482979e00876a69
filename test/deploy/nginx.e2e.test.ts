import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as oauth from "oauth4webapi";
import { Agent, getGlobalDispatcher, setGlobalDispatcher } from "undici";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { execFileSync, spawn } from "../support/child-process.js";
import { connectHttp } from "../support/clients.ts";
import { createBrowser, readConsentForm } from "../support/connector.ts";
import { installed } from "../support/installed-package.ts";
import { findPort, findProgram, type Running, startProgram } from "../support/processes.ts";
import { REDIS_SERVER, type RedisServer, startRedis } from "../support/redis.ts";
import { signIn } from "../support/sign-in.ts";

const { bin } = installed;
const NAME = "mcp.example.com";
const nginx = findProgram("nginx");

/** The repository's own file, with this test's name for each place and port in it. */
function writeConfiguration(folder: string, ports: { tls: number; connectors: number[] }): string {
  const site = readFileSync("deploy/nginx.conf", "utf8")
    .replace("listen 443 ssl", `listen 127.0.0.1:${ports.tls} ssl`)
    .replace(
      "  server 127.0.0.1:8788;",
      ports.connectors.map((port) => `  server 127.0.0.1:${port};`).join("\n"),
    )
    .replace("/etc/ssl/mcp.example.com.pem", join(folder, "cert.pem"))
    .replace("/etc/ssl/mcp.example.com.key", join(folder, "key.pem"));
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
    (name) => `${name}_temp_path ${join(folder, name)};`,
  );
  const text = `daemon off; pid ${join(folder, "pid")}; error_log stderr; events {} http { ${temporary.join(" ")} ${site} }`;
  const file = join(folder, "nginx.conf");
  writeFileSync(file, text);
  return file;
}

describe.skipIf(!nginx || !REDIS_SERVER)("behind nginx, which ends TLS", () => {
  const folder = mkdtempSync(join(tmpdir(), "nginx-"));
  const before = getGlobalDispatcher();
  const running: Running[] = [];
  let proxy: ReturnType<typeof spawn>;
  let redis: RedisServer;
  let publicUrl = "";

  beforeAll(async () => {
    const [key, cert] = [join(folder, "key.pem"), join(folder, "cert.pem")];
    const options = [
      "-x509",
      "-newkey",
      "rsa:2048",
      "-nodes",
      "-days",
      "2",
      "-addext",
      `subjectAltName=DNS:${NAME}`,
    ];
    const files = ["-keyout", key, "-out", cert, "-subj", `/CN=${NAME}`];
    execFileSync("openssl", ["req", ...options, ...files], { stdio: "ignore" });
    const [tls, ...connectors] = await Promise.all([findPort(), findPort(), findPort()]);
    publicUrl = `https://${NAME}:${tls}`;
    redis = await startRedis();
    for (const port of connectors) {
      const place = ["--store", redis.url, "--secret-file", join(folder, "secret")];
      const args = [
        "serve",
        "--demo",
        "--port",
        String(port),
        "--public-url",
        publicUrl,
        "--trust-proxy",
        ...place,
      ];
      running.push(await startProgram(bin, args, {}, "The connector is at"));
    }
    proxy = spawn(nginx ?? "", ["-p", folder, "-c", writeConfiguration(folder, { tls, connectors })], {
      stdio: "ignore",
    });
    // The name is this machine's, and the certificate is one to trust, for the clients of this file alone.
    const lookup = (_: string, options: { all?: boolean }, done: (...args: unknown[]) => void) =>
      options.all ? done(null, [{ address: "127.0.0.1", family: 4 }]) : done(null, "127.0.0.1", 4);
    setGlobalDispatcher(new Agent({ connect: { ca: readFileSync(cert, "utf8"), lookup: lookup as never } }));
    for (let attempt = 0; attempt < 1_000; attempt++) {
      if (
        await fetch(`${publicUrl}/healthz`).then(
          ({ ok }) => ok,
          () => false,
        )
      )
        return;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    throw new Error("nginx does not start.");
  });
  afterAll(async () => {
    await getGlobalDispatcher().destroy();
    setGlobalDispatcher(before);
    proxy?.kill("SIGQUIT");
    if (proxy) await once(proxy, "exit");
    for (const each of running) await each.stop();
    await redis?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  it("a person signs in, and a client asks, over two connectors that share one store", async () => {
    const { server, client, exchange } = await signIn({ publicUrl, mcp: `${publicUrl}/mcp` });
    expect(server.issuer).toBe(publicUrl);
    const tokens = await oauth.processAuthorizationCodeResponse(server, client, await exchange());
    for (const kind of ["v1", "v2 auto"] as const) {
      const mcp = await connectHttp(kind, `${publicUrl}/mcp`, tokens.access_token);
      const answers = await Promise.all([1, 2, 3, 4].map(() => mcp.callTool("list_sites")));
      expect(answers.map(({ isError }) => isError ?? false)).toEqual([false, false, false, false]);
      await mcp.close();
    }
  });

  it("everything is at the public name over https, and cookies stay there", async () => {
    const challenge = await fetch(`${publicUrl}/mcp`, { method: "POST" });
    expect(challenge.status).toBe(401);
    expect(challenge.headers.get("strict-transport-security")).toBe("max-age=31536000");
    expect(challenge.headers.get("www-authenticate")).toContain(
      `resource_metadata="${publicUrl}/.well-known/`,
    );
    const { response, cookies } = await openConsent();
    expect(response.status).toBe(200);
    expect(cookies.length).toBeGreaterThan(0);
    for (const cookie of cookies) expect(cookie).toMatch(/; secure/i);
  });

  it("tries of a key are counted by the address that nginx saw, whatever else is claimed", async () => {
    const statuses: number[] = [];
    const { visit, action, csrf } = await openConsent();
    for (let count = 0; count < 6; count++) {
      const { response } = await visit(publicUrl + action, {
        method: "POST",
        headers: {
          "content-type": "application/x-www-form-urlencoded",
          origin: publicUrl,
          "x-forwarded-for": `203.0.113.${count}`,
        },
        body: new URLSearchParams({ csrf, api_key: "wrong", decision: "allow" }),
      });
      statuses.push(response.status);
    }
    expect(statuses).toEqual([403, 403, 403, 403, 403, 429]);
  });

  /** The consent page as a browser comes to it, with the cookies that were set on the way. */
  async function openConsent() {
    const registered = await fetch(`${publicUrl}/register`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ redirect_uris: ["http://127.0.0.1/cb"] }),
    });
    const { client_id } = (await registered.json()) as { client_id: string };
    const query = new URLSearchParams({
      client_id,
      redirect_uri: "http://127.0.0.1/cb",
      response_type: "code",
      code_challenge: "x".repeat(43),
      code_challenge_method: "S256",
    });
    const cookies: string[] = [];
    const browser = createBrowser(publicUrl);
    const first = await fetch(`${publicUrl}/authorize?${query}`, { redirect: "manual" });
    cookies.push(...first.headers.getSetCookie());
    expect(first.headers.get("location")).toMatch(new RegExp(`^(${publicUrl})?/consent/`));
    const { response } = await browser.visit(`${publicUrl}/authorize?${query}`);
    const { action, csrf } = readConsentForm(await response.clone().text());
    return { visit: browser.visit, response, cookies, action, csrf };
  }
});
