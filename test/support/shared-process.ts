import { afterAll, expect, vi } from "vitest";

/** Resources that act on their own: servers, programs, watched files. */
const ACTIVE = /^(TCPServer|PipeServer|Process|FSEvent|StatWatcher|Signal)/;

/**
 * Runs before each test file of a project whose files share a process: a file must leave it as it found it. What Vitest
 * can restore is restored here, so that no file has to; what else a file leaves behind makes that file fail, and not
 * another one later.
 */
const environment = { ...process.env };
const globals = Object.getOwnPropertyDescriptors(globalThis);
const rest = describeProcess();

afterAll(async () => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
  vi.unstubAllGlobals();
  expect(listChangedVariables(), "environment variables that this file changed").toEqual([]);
  expect(listReplacedGlobals(), "globals that this file replaced").toEqual([]);
  // What was closed is listed until the event loop has turned.
  const compare = () => expect(describeProcess(), "what this file left behind").toEqual(rest);
  await vi.waitFor(compare, { timeout: 30_000 });
});

function listChangedVariables() {
  const names = Object.keys({ ...environment, ...process.env });
  return names.filter((name) => process.env[name] !== environment[name]);
}

/** Including undici's dispatcher, whose key is a symbol. What Node or a library defines on first use is no change. */
function listReplacedGlobals() {
  return Reflect.ownKeys(globals).filter((name) => {
    const { get, value } = Reflect.get(globals, name);
    return get === undefined && !Object.is(value, Reflect.get(globalThis, name));
  });
}

function describeProcess() {
  const listeners = process.eventNames().map((event) => [String(event), process.listenerCount(event)]);
  return {
    folder: process.cwd(),
    listeners: Object.fromEntries(listeners),
    resources: process.getActiveResourcesInfo().filter((name) => ACTIVE.test(name)),
  };
}
