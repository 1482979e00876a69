import { once } from "node:events";
import { expect, it, onTestFinished } from "vitest";
import { createCertificate } from "../support/certificate.ts";
import { spawn } from "../support/child-process.js";
import { at, readReport, serve } from "../support/doctor-report.ts";
import { installed } from "../support/installed-package.ts";
import { startRightConnector } from "../support/right-connector.ts";

/** The installed doctor, because Node reads NODE_EXTRA_CA_CERTS only at startup. */
async function examineInstalled(env: Record<string, string>, ...argv: string[]) {
  const child = spawn(installed.bin, ["doctor", "--json", ...argv], {
    env,
  });
  const output = { stdout: "", stderr: "" };
  child.stdout.on("data", (chunk) => {
    output.stdout += chunk;
  });
  child.stderr.on("data", (chunk) => {
    output.stderr += chunk;
  });
  const [code] = await once(child, "close");
  return readReport({ code, ...output });
}

it("an untrusted certificate, an expired one, one that expires soon, and a good one", async () => {
  const [good, soon, past] = [createCertificate(90), createCertificate(5), createCertificate(-5)];
  const look = async (certificate: typeof good, trusted: boolean) => {
    const { origin } = await serve(undefined, certificate);
    const trust: Record<string, string> = trusted ? { NODE_EXTRA_CA_CERTS: certificate.file } : {};
    const { code, find } = await examineInstalled({ ...at(origin), ...trust });
    return [code, find("tls")?.status, `${find("tls")?.detail} ${find("tls")?.fix}`];
  };
  expect(await look(good, false)).toEqual([5, "failed", expect.stringMatching(/self-signed.*NODE_EXTRA_CA/)]);
  expect(await look(past, true)).toEqual([5, "failed", expect.stringContaining("has expired")]);
  expect(await look(soon, true)).toEqual([0, "warning", expect.stringContaining("expires soon")]);
  expect(await look(good, true)).toEqual([0, "ok", expect.stringMatching(/valid until \d{4}-/)]);
});

it("a connector over https, without HSTS and with it", async () => {
  const certificate = createCertificate(90);
  const examine = async (headers: Record<string, string>) => {
    const { origin, close } = await startRightConnector({ call: { headers } }, certificate);
    onTestFinished(close);
    const trust = { NODE_EXTRA_CA_CERTS: certificate.file };
    const { code, find } = await examineInstalled(trust, "--connector", origin);
    return [code, find("tls")?.status, find("sign-in page")?.status, find("HSTS")?.status];
  };
  expect(await examine({})).toEqual([0, "ok", "ok", "warning"]);
  expect(await examine({ "strict-transport-security": "max-age=31536000" })).toEqual([0, "ok", "ok", "ok"]);
});
