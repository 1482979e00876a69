import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { execFileSync } from "./child-process.js";

const CONFIGURATION = `[ca]
default_ca=own
[own]
database=index.txt
new_certs_dir=.
rand_serial=yes
default_md=sha256
policy=any
x509_extensions=names
[any]
commonName=supplied
[names]
subjectAltName=IP:127.0.0.1
`;

/** A certificate for 127.0.0.1, signed by itself, that ends in so many days: also in the past. */
export function createCertificate(days: number): { key: string; cert: string; file: string } {
  const cwd = mkdtempSync(join(tmpdir(), "certificate-"));
  const openssl = (...args: string[]) => execFileSync("openssl", args, { cwd, stdio: "ignore" });
  writeFileSync(join(cwd, "ca.cnf"), CONFIGURATION);
  writeFileSync(join(cwd, "index.txt"), "");
  const end = new Date(Date.now() + days * 86_400_000).toISOString().replace(/[-:T]|\.\d+/g, "");
  const curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1"];
  openssl("req", "-new", ...curve, "-nodes", "-keyout", "key", "-out", "request", "-subj", "/CN=127.0.0.1");
  const own = ["-selfsign", "-keyfile", "key", "-in", "request", "-out", "cert", "-notext"];
  openssl("ca", "-batch", "-config", "ca.cnf", ...own, "-startdate", "20200101000000Z", "-enddate", end);
  const read = (name: string) => readFileSync(join(cwd, name), "utf8");
  return { key: read("key"), cert: read("cert"), file: join(cwd, "cert") };
}
