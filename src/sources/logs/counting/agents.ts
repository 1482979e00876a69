import { isbot } from "isbot";
import parseAgent from "my-ua-parser";
import { findCrawler } from "../../crawler-list.ts";
import { copyText } from "../copy-text.ts";

/** What a user agent says about its sender. */
export type Agent = BrowserAgent | BotAgent;

export interface BotAgent {
  kind: "bot";
  id: number;
  /** The crawler that it claims to be, by its name in `crawler-list.ts`. */
  crawler?: string | undefined;
}

export interface BrowserAgent {
  kind: "browser";
  /** Different for each user agent, from 0 up. */
  id: number;
  browser: string | null;
  operatingSystem: string | null;
  device: string;
}

export interface Agents {
  /** What a user agent says. Each is parsed once: a log has few different ones. */
  find(userAgent: string): Agent;
  /** The user agents by id. */
  readonly texts: readonly string[];
}

export function createAgents(): Agents {
  const known = new Map<string, Agent>();
  const texts: string[] = [];
  return {
    texts,
    find: (userAgent) => {
      let agent = known.get(userAgent);
      if (agent === undefined) {
        const copy = copyText(userAgent);
        agent = readAgent(copy, texts.length);
        known.set(copy, agent);
        texts.push(copy);
      }
      return agent;
    },
  };
}

function readAgent(userAgent: string, id: number): Agent {
  const crawler = findCrawler(userAgent)?.value;
  if (userAgent === "" || crawler !== undefined || isbot(userAgent)) return { kind: "bot", id, crawler };
  const { browser, os, device } = parseAgent(userAgent.slice(0, LONGEST));
  return {
    kind: "browser",
    id,
    browser: rename(BROWSERS, browser.name),
    operatingSystem: rename(SYSTEMS, os.name),
    device: DEVICES[device.type ?? ""] ?? "desktop",
  };
}

/** The parser's regular expressions are slow on long texts. */
const LONGEST = 500;

const rename = (names: Record<string, string>, name: string | undefined) =>
  name === undefined ? null : (names[name] ?? name);

/** The parser's names for a browser on a phone or inside an app. */
const BROWSERS: Record<string, string> = {
  "Mobile Safari": "Safari",
  "Mobile Chrome": "Chrome",
  "Mobile Firefox": "Firefox",
  "Chrome WebView": "Chrome",
  "Chrome Headless": "Chrome",
  "Samsung Browser": "Samsung Internet",
  "Android Browser": "Android Browser",
  WebKit: "Safari",
};

const SYSTEMS: Record<string, string> = { "Mac OS": "macOS", "Chromium OS": "ChromeOS" };

const DEVICES: Record<string, string> = {
  mobile: "mobile",
  tablet: "tablet",
  smarttv: "tv",
  console: "console",
  wearable: "wearable",
};
