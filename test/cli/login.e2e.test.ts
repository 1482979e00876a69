import { once } from "node:events";
import { existsSync, readFileSync, statSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { listen } from "../../src/api/listen.ts";
import { findProfileFile } from "../../src/config/profiles.ts";
import { DEMO_KEY } from "../support/api.ts";
import { installed } from "../support/installed-package.ts";
import { combined, createLogFolder, joinLines } from "../support/logs.ts";
import { findPort } from "../support/processes.ts";
import { createHome } from "../support/profiles.ts";
import { createReferenceApi } from "../support/reference-api.ts";
import { PLAUSIBLE_KEY, startSmallPlausible } from "../support/small-plausible.ts";
import { SCRIPT, startAtTerminal } from "../support/typing.ts";
import { RECORDED, readRecordings, startReplay } from "../support/umami-replay.ts";

describe.skipIf(!SCRIPT)("login at a terminal", () => {
  const { bin } = installed;
  const SHOW_MODE = "stty -a | tr ' ' '\\n' | grep -xE -- '-?(echo|icanon|isig);?' | sort | tr '\\n' ' '";
  let origin = "";
  let close: () => Promise<void>;
  beforeAll(async () => {
    const server = await listen(createReferenceApi({ clock: Date.now }), "127.0.0.1", 0);
    ({ origin, close } = server);
  });
  /** It accepts connections and never answers. */
  const silent = createServer().listen(0, "127.0.0.1");
  afterAll(async () => {
    silent.close();
    await close();
  });

  it("asks for the address and, unseen, for the key, and again for what will not do or is refused", async () => {
    const home = createHome();
    const terminal = startAtTerminal(`${bin} login; echo "exit $?"; ${SHOW_MODE}`, home);
    await terminal.until("> ");
    terminal.press("ftp://stats.example.com\r");
    await terminal.until("must start with https://");
    terminal.press(`${origin.replace("http://", "")}\r`);
    await terminal.until("API key (not shown as you type): ");
    terminal.press("YOUR_API_KEY\r");
    await terminal.until("contains a placeholder");
    terminal.press("demo-of-nobody\r");
    await terminal.until("API key again (not shown as you type): ");
    terminal.press(`demo-wrong${"\x7f".repeat(5)}key-of-acme\r`);
    await terminal.until("Site to use when none is named (Enter for none): ");
    terminal.press("exmple.com\r");
    await terminal.until("Did you mean example.com?");
    terminal.press("www.example.com\r");
    const screen = await terminal.end();
    expect(screen).toContain(`${origin} does not accept this key.`);
    expect(screen).toContain("Saved as profile default for");
    expect(screen).toContain("exit 0");
    expect(screen).toMatch(/echo icanon isig \s*$/);
    expect(screen).not.toMatch(/demo-|YOUR_API_KEY|of-acme|of-nobody/);
    expect(statSync(findProfileFile(home, "default")).mode & 0o777).toBe(0o600);
    expect(JSON.parse(readFileSync(findProfileFile(home, "default"), "utf8"))).toEqual({
      baseUrl: `${origin}/api/v1`,
      apiKey: DEMO_KEY,
      site: "example.com",
    });
  });

  it("recognizes a service with an API of its own, and asks for what that does not tell", async () => {
    const plausible = await startSmallPlausible();
    const home = createHome();
    const terminal = startAtTerminal(`${bin} login; echo "exit $?"`, home);
    await terminal.until("> ");
    terminal.press(`${plausible.origin}\r`);
    await terminal.until("This is Plausible, which has an API of its own.");
    await terminal.until("Stats API key");
    terminal.press(`${PLAUSIBLE_KEY}\r`);
    await terminal.until("Sites in Plausible, such as");
    terminal.press("example.com=Berlin\r");
    await terminal.until("is not a timezone");
    terminal.press("example.com,shop.example=Europe/Berlin\r");
    await terminal.until("Timezone of example.com");
    terminal.press("America/New_York\r");
    await terminal.until("Plausible counts the days of example.com in");
    await terminal.until("shop.example=Europe/Berlin,example.com=America/New_York");
    terminal.press("example.com,shop.example=Europe/Berlin\rEurope/Berlin\r");
    await terminal.until("Site to use when none is named (Enter for none): ");
    terminal.press("shop.example\r");
    const screen = await terminal.end();
    plausible.close();
    expect(screen).toContain("Saved as profile default for Plausible at");
    expect(screen).toContain("exit 0");
    expect(screen).not.toContain(PLAUSIBLE_KEY);
    expect(JSON.parse(readFileSync(findProfileFile(home, "default"), "utf8"))).toEqual({
      baseUrl: plausible.origin,
      apiKey: PLAUSIBLE_KEY,
      site: "shop.example",
      service: "plausible",
      siteTimezones: { "example.com": "Europe/Berlin", "shop.example": "Europe/Berlin" },
    });
  });

  it("takes a key in place of a user name and password, if it can be one", async () => {
    const umami = await startReplay(readRecordings());
    const home = createHome();
    const address = `--service umami --base-url ${umami.url}`;
    const terminal = startAtTerminal(`${bin} login ${address}; echo "exit $?"`, home);
    await terminal.until("or nothing if you have an API key");
    terminal.press("\r");
    await terminal.until("Password, or API key (not shown as you type): ");
    terminal.press("kéy-of-acme\r");
    await terminal.until("What you typed contains characters that no key has.");
    // Before anything else is asked.
    terminal.press("umami_of-acme-0123456789\r");
    await terminal.until("does not accept this key");
    await terminal.until("or nothing if you have an API key");
    terminal.press("\r");
    await terminal.until("again (not shown as you type): ");
    terminal.press(`${RECORDED.reader}\r`);
    await terminal.until("Timezone of the days in Umami");
    terminal.press("Europe/Berlin\r");
    await terminal.until("Site to use when none is named (Enter for none): ");
    terminal.press("\r");
    const screen = await terminal.end();
    umami.close();
    expect(screen).toContain("exit 0");
    expect(screen).not.toMatch(/of-acme|of-a-reader/);
  });

  it("reads logs by their path, after an address at which nothing answers and a path that does not exist", async () => {
    const { path } = createLogFolder({
      "access.log": joinLines(
        combined({ target: "/style.css", referrer: "https://www.example.com/" }),
        combined({ at: "2026-11-20T12:00:00Z" }),
        combined(),
      ),
    });
    const home = createHome();
    const port = await findPort();
    const terminal = startAtTerminal(`${bin} login; echo "exit $?"; ${SHOW_MODE}`, { ...home, TZ: "UTC" });
    await terminal.until("> ");
    terminal.press(`127.0.0.1:${port}\r`);
    await terminal.until("nothing is listening there");
    terminal.press(`${path("gone.log")}\r`);
    await terminal.until("No log file matches");
    terminal.press(`${path("access.log")}\r`);
    await terminal.until("Found: 2026-11-20 to 2026-11-21, 2 page views");
    await terminal.until("(Enter for");
    terminal.press("\r");
    await terminal.until("Timezone for its days");
    terminal.press("Europe/Berlin\r");
    const screen = await terminal.end();
    expect(screen).toContain("exit 0");
    expect(screen).toMatch(/echo icanon isig \s*$/);
    expect(JSON.parse(readFileSync(findProfileFile(home, "default"), "utf8"))).toEqual({
      options: { logs: [path("access.log")], site: ["example.com"], timezone: "Europe/Berlin" },
    });
  });

  it("does not show a key that is pasted together with the address", async () => {
    const home = createHome();
    const terminal = startAtTerminal(`${bin} login`, home);
    await terminal.until("> ");
    terminal.press(`${origin}\r${DEMO_KEY}\r`);
    await terminal.until("(Enter for none): ");
    terminal.press("\r");
    const screen = await terminal.end();
    expect(screen).toContain("Saved as profile default");
    expect(screen).not.toContain(DEMO_KEY);
  });

  it("saves nothing if the question on the site is left", async () => {
    const home = createHome();
    const terminal = startAtTerminal(`${bin} login --base-url ${origin}`, home);
    await terminal.until("API key (not shown as you type): ");
    terminal.press(`${DEMO_KEY}\r`);
    await terminal.until("(Enter for none): ");
    terminal.press("\x03");
    expect(await terminal.end()).toContain("Cancelled: nothing was saved.");
    expect(existsSync(findProfileFile(home, "default"))).toBe(false);
  });

  it.each([
    ["Ctrl-C", "the key", "\x03", "API key (not shown as you type): ", ""],
    ["Ctrl-D", "the key", "\x04", "API key (not shown as you type): ", ""],
    ["Ctrl-C", "what to read", "\x03", "> ", ""],
    ["Ctrl-C", "an answer that does not come", "\x03", "> ", "slow"],
  ])(
    "%s leaves at %s, with nothing saved and the terminal as it was",
    async (_, place, keys, text, typed) => {
      const home = createHome();
      const options = place === "the key" ? `--base-url ${origin}` : "";
      const terminal = startAtTerminal(`${bin} login ${options}; echo "exit $?"; ${SHOW_MODE}`, home);
      await terminal.until(text);
      if (typed !== "") {
        const asked = once(silent, "connection");
        terminal.press(`127.0.0.1:${(silent.address() as AddressInfo).port}\r`);
        await asked;
      }
      terminal.press(keys);
      const screen = await terminal.end();
      expect(screen).toContain("Cancelled: nothing was saved.");
      expect(screen).toContain("exit 130");
      expect(screen).toMatch(/echo icanon isig \s*$/);
      expect(existsSync(findProfileFile(home, "default"))).toBe(false);
    },
  );
});
