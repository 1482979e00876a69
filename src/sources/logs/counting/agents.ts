import parseAgent from "my-ua-parser";
import { readMember } from "../../../member.ts";
import { isBot } from "../../bot-agents.ts";
import { findCrawler } from "../../crawler-list.ts";
import { copyText } from "../copy-text.ts";
import { hashText } from "../hashing.ts";

/** What a user agent says about its sender. */
export type Agent = BrowserAgent | BotAgent;

export interface BotAgent {
  kind: "bot";
  /** The crawler that it claims to be, by its name in `crawler-list.ts`. */
  crawler?: string | undefined;
}

export interface BrowserAgent {
  kind: "browser";
  /** A hash of its text. Two that one address sends are the same in one case of a billion. */
  id: number;
  browser: string | null;
  operatingSystem: string | null;
  device: string;
}

export interface Agents {
  /** What a user agent says. A log has few different ones, so they are kept, within limits. */
  find(userAgent: string): Agent;
}

/** V8 finds numbers of 31 bits faster in a map than larger ones. */
const MAX_SMALL_INTEGER = 2 ** 30 - 1;

/** The user agents are forgotten at this number, or when their texts have this length together. */
const MAX_KEPT = { agents: 20_000, length: 4_000_000 };

export function createAgents(): Agents {
  const known = new Map<string, Agent>();
  let length = 0;
  return {
    find: (userAgent) => {
      let agent = known.get(userAgent);
      if (agent === undefined) {
        const copy = copyText(userAgent);
        agent = readAgent(copy);
        length += copy.length;
        if (known.size >= MAX_KEPT.agents || length > MAX_KEPT.length) {
          known.clear();
          length = copy.length;
        }
        known.set(copy, agent);
      }
      return agent;
    },
  };
}

function readAgent(userAgent: string): Agent {
  const crawler = findCrawler(userAgent)?.value;
  if (userAgent === "" || crawler !== undefined || isBot(userAgent)) return { kind: "bot", crawler };
  const { browser, os, device } = parseAgent(userAgent.slice(0, LONGEST));
  return {
    kind: "browser",
    id: hashText(userAgent) & MAX_SMALL_INTEGER,
    browser: rename(BROWSERS, browser.name),
    operatingSystem: rename(SYSTEMS, os.name),
    device: readMember(DEVICES, device.type ?? (MOBILE.test(userAgent) ? "mobile" : "")) ?? "desktop",
  };
}

/** Browsers of telephones, of which the parser knows no device. */
const MOBILE = /Opera Mini|Opera Mobi|MAUI/;

/** The parser's regular expressions are slow on long texts. */
const LONGEST = 500;

const rename = (names: Record<string, string>, name: string | undefined) =>
  name === undefined ? null : (readMember(names, name) ?? name);

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
