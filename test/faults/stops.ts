import { setTimeout as sleep } from "node:timers/promises";
import { type Answer, format, type Wire } from "../support/fault-proxy.ts";
import { CRLF, chunked, type NamedFault, type Outcome } from "./sending.ts";

const HEAD_END = Buffer.from("\r\n\r\n");
/** Every kind of place at which the bytes of an answer may stop. */
const places: Record<string, (bytes: Buffer) => number> = {
  "before the status line": () => 0,
  "within the status line": () => 7,
  "between headers": (bytes) => bytes.indexOf(CRLF) + 2,
  "within a header": (bytes) => bytes.indexOf(CRLF) + 6,
  "before the body": (bytes) => bytes.indexOf(HEAD_END) + 4,
  "within a token of the JSON": (bytes) => bytes.indexOf('"', bytes.indexOf(HEAD_END)) + 3,
  "within a sequence of UTF-8": (bytes) => bytes.findIndex((byte) => byte >= 0xc0) + 1,
  "before the last byte": (bytes) => bytes.length - 1,
};
const chunkPlaces: Record<string, (bytes: Buffer) => number> = {
  "within a chunk's length": (bytes) => bytes.indexOf(HEAD_END) + 5,
  "within a chunk": (bytes) => bytes.indexOf(HEAD_END) + 20,
  "before the last chunk": (bytes) => bytes.length - 5,
  "within the last chunk": (bytes) => bytes.length - 2,
};

const PAUSE_MS = 60;
const ends: [string, Outcome, (wire: Wire, rest: Buffer) => unknown][] = [
  ["stalls", "timeout", () => {}],
  ["is reset", "unreachable", ({ reset }) => reset()],
  ["is closed", "unreachable", ({ socket }) => socket.end()],
  ["pauses", "right", ({ socket }, rest) => sleep(PAUSE_MS).then(() => socket.write(rest))],
];

const stopAt = (table: typeof places, write: (right: Answer) => Buffer, suffix: string): NamedFault[] =>
  Object.entries(table).flatMap(([place, find]) =>
    ends.map(
      ([what, outcome, finish]): NamedFault => ({
        name: `${what} ${place}${suffix}`,
        outcome,
        ...(what === "stalls" && { slow: true }),
        fault: async (wire) => {
          const bytes = write(wire.right);
          const place = find(bytes);
          if (place > 0) wire.socket.write(bytes.subarray(0, place));
          // What was written must arrive before the reset.
          if (what === "is reset") await sleep(10);
          return finish(wire, bytes.subarray(place));
        },
      }),
    ),
  );

/** Stops at each place in each way. */
export const stops = [
  ...stopAt(places, format, ""),
  ...stopAt(chunkPlaces, (right) => format(chunked(right)), ""),
];
