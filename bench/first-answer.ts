import { createReferenceApi } from "../src/reference/api.ts";
import { DEMO_KEY } from "../src/reference/fixtures.ts";

/** Asks the reference API, in a process that has it for nothing else, so many times; prints each time in ms. */
const [, , target = "", count = "1"] = process.argv;
let start = performance.now();
const api = createReferenceApi({ clock: Date.now });
const times = Array.from({ length: Number(count) }, () => {
  const { status, body } = api({
    ...{ method: "GET", url: `http://reference.invalid${target}` },
    headers: { get: (name) => (name === "authorization" ? `Bearer ${DEMO_KEY}` : null) },
  });
  if (status !== 200) throw new Error(`${status}: ${body}`);
  const time = performance.now() - start;
  start = performance.now();
  return time;
});
process.stdout.write(JSON.stringify(times));
