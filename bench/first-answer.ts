import { DEMO_KEY } from "../src/sources/demo/fixtures.ts";
import { createReferenceApi } from "../test/support/reference-api.ts";

/** Calls the reference API `count` times in a fresh process, and prints each time in ms. */
const [, , target = "", count = "1"] = process.argv;
const times: number[] = [];
let start = performance.now();
const api = createReferenceApi({ clock: Date.now });
for (let asked = 0; asked < Number(count); asked++) {
  const { status, body } = await api({
    method: "GET",
    url: `http://reference.invalid${target}`,
    headers: { get: (name) => (name === "authorization" ? `Bearer ${DEMO_KEY}` : null) },
  });
  if (status !== 200) throw new Error(`${status}: ${body}`);
  times.push(performance.now() - start);
  start = performance.now();
}
process.stdout.write(JSON.stringify(times));
