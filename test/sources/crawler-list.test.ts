import { describe, expect, it } from "vitest";
import { crawlers, findCrawler } from "../../src/sources/crawler-list.ts";

const CHROME = "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko";

describe("a user agent as it is sent", () => {
  it.each([
    [`${CHROME}; compatible; GPTBot/1.2; +https://openai.com/gptbot)`, "GPTBot", "OpenAI", "training"],
    [
      `${CHROME}) Chrome/131.0.0.0 Safari/537.36; compatible; OAI-SearchBot/1.3; +https://openai.com/searchbot`,
      "OAI-SearchBot",
      "OpenAI",
      "search",
    ],
    [
      `${CHROME}; compatible; ChatGPT-User/1.0; +https://openai.com/bot`,
      "ChatGPT-User",
      "OpenAI",
      "assistant",
    ],
    [`${CHROME}; compatible; ClaudeBot/1.0; +claudebot@anthropic.com)`, "ClaudeBot", "Anthropic", "training"],
    [
      `${CHROME}; compatible; Claude-User/1.0; +Claude-User@anthropic.com)`,
      "Claude-User",
      "Anthropic",
      "assistant",
    ],
    [
      `${CHROME}; compatible; Claude-SearchBot/1.0; +https://www.anthropic.com)`,
      "Claude-SearchBot",
      "Anthropic",
      "search",
    ],
    [
      `${CHROME}; compatible; PerplexityBot/1.0; +https://perplexity.ai/perplexitybot)`,
      "PerplexityBot",
      "Perplexity",
      "search",
    ],
    [
      `${CHROME}; compatible; Perplexity-User/1.0; +https://perplexity.ai/perplexity-user)`,
      "Perplexity-User",
      "Perplexity",
      "assistant",
    ],
    [
      "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)",
      "Googlebot",
      "Google",
      "search",
    ],
    ["Googlebot-Image/1.0", "Googlebot", "Google", "search"],
    [
      "Mozilla/5.0 (Linux; Android 6.0.1; Nexus 5X Build/MMB29P) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0.6723.69 Mobile Safari/537.36 (compatible; GoogleOther)",
      "GoogleOther",
      "Google",
      "other",
    ],
    ["Mozilla/5.0 (compatible; Google-Extended)", "Google-Extended", "Google", "training"],
    [
      `${CHROME}; compatible; Gemini-Deep-Research; +https://gemini.google/overview/deep-research/) Chrome/135.0.0.0 Safari/537.36`,
      "Gemini-Deep-Research",
      "Google",
      "assistant",
    ],
    [
      "Mozilla/5.0 (compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm)",
      "bingbot",
      "Microsoft",
      "search",
    ],
    [
      "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_5) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/13.1.1 Safari/605.1.15 (Applebot/0.1; +http://www.apple.com/go/applebot)",
      "Applebot",
      "Apple",
      "search",
    ],
    ["Mozilla/5.0 (compatible; Applebot-Extended/0.1)", "Applebot-Extended", "Apple", "training"],
    [
      "facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)",
      "facebookexternalhit",
      "Meta",
      "other",
    ],
    [
      "meta-externalagent/1.1 (+https://developers.facebook.com/docs/sharing/webmasters/crawler)",
      "meta-externalagent",
      "Meta",
      "training",
    ],
    [
      "meta-externalfetcher/1.1 (+https://developers.facebook.com/docs/sharing/webmasters/crawler)",
      "meta-externalfetcher",
      "Meta",
      "assistant",
    ],
    [
      `${CHROME}; compatible; Amazonbot/0.1; +https://developer.amazon.com/support/amazonbot) Chrome/119.0.6045.214 Safari/537.36`,
      "Amazonbot",
      "Amazon",
      "training",
    ],
    [
      "Mozilla/5.0 (Linux; Android 5.0) AppleWebKit/537.36 (KHTML, like Gecko) Mobile Safari/537.36 (compatible; Bytespider; spider-feedback@bytedance.com)",
      "Bytespider",
      "ByteDance",
      "training",
    ],
    ["CCBot/2.0 (https://commoncrawl.org/faq/)", "CCBot", "Common Crawl", "training"],
    [
      `${CHROME}; compatible; MistralAI-User/1.0; +https://docs.mistral.ai/robots)`,
      "MistralAI-User",
      "Mistral AI",
      "assistant",
    ],
    ["DuckDuckBot/1.1; (+http://duckduckgo.com/duckduckbot.html)", "DuckDuckBot", "DuckDuckGo", "search"],
    [
      "Mozilla/5.0 (compatible; DuckDuckBot-Https/1.1; https://duckduckgo.com/duckduckbot)",
      "DuckDuckBot",
      "DuckDuckGo",
      "search",
    ],
    [
      "DuckAssistBot/1.2; (+http://duckduckgo.com/duckassistbot.html)",
      "DuckAssistBot",
      "DuckDuckGo",
      "assistant",
    ],
    ["Mozilla/5.0 (compatible; YandexBot/3.0; +http://yandex.com/bots)", "YandexBot", "Yandex", "search"],
    [
      "Mozilla/5.0 (compatible; YandexAdditionalBot/3.0; +http://yandex.com/bots)",
      "YandexAdditionalBot",
      "Yandex",
      "training",
    ],
    [
      "Mozilla/5.0 (compatible; Baiduspider-render/2.0; +http://www.baidu.com/search/spider.html)",
      "Baiduspider",
      "Baidu",
      "search",
    ],
    [
      "Sogou web spider/4.0(+http://www.sogou.com/docs/help/webmasters.htm#07)",
      "Sogou web spider",
      "Sogou",
      "search",
    ],
    [
      "Mozilla/5.0 (compatible; Yahoo! Slurp; http://help.yahoo.com/help/us/ysearch/slurp)",
      "Slurp",
      "Yahoo",
      "search",
    ],
    [
      "Mozilla/5.0 (compatible;PetalBot;+https://webmaster.petalsearch.com/site/petalbot)",
      "PetalBot",
      "Huawei",
      "search",
    ],
    ["Mozilla/5.0 (compatible; AhrefsBot/7.0; +http://ahrefs.com/robot/)", "AhrefsBot", "Ahrefs", "other"],
    [
      "Mozilla/5.0 (compatible; SemrushBot/7~bl; +http://www.semrush.com/bot.html)",
      "SemrushBot",
      "Semrush",
      "other",
    ],
    ["Mozilla/5.0 (compatible; MJ12bot/v1.4.8; http://mj12bot.com/)", "MJ12bot", "Majestic", "other"],
    ["Twitterbot/1.0", "Twitterbot", "X", "other"],
    ["gptbot", "GPTBot", "OpenAI", "training"],
  ])("%s", (userAgent, value, operator, purpose) => {
    expect(findCrawler(userAgent)).toMatchObject({ value, operator, purpose });
  });
});

describe("a browser, and what only looks like a crawler", () => {
  it.each([
    "",
    "-",
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36",
    "Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 Mobile/15E148 Safari/604.1",
    "Mozilla/5.0 (Linux; Android 13; CUBOT NOTE 50) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0.0.0 Mobile Safari/537.36",
    "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 (KHTML, like Gecko) Code/1.95.0 Chrome/128.0.6613.186 Electron/32.2.1 Safari/537.36",
    "Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/21F90 [FBAN/FBIOS;FBAV/467.0]",
    "Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/21F90 [Pinterest/iOS]",
    "curl/8.5.0",
    "MyGPTBotReader/1.0",
    "notslurping/2.0",
  ])("%s", (userAgent) => {
    expect(findCrawler(userAgent)).toBeUndefined();
  });
});

describe("the list", () => {
  it("names each crawler once, in any letter case", () => {
    const names = crawlers.map(({ value }) => value.toLowerCase());
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
  });

  it.each(crawlers.map((crawler) => [crawler.value, crawler] as const))(
    "%s is found by its own name",
    (value, crawler) => {
      expect(findCrawler(`Mozilla/5.0 (compatible; ${value}/1.0)`)).toBe(crawler);
      expect(findCrawler(value.toUpperCase())).toBe(crawler);
    },
  );

  it("is quick with a long text that nearly matches", () => {
    const started = process.cpuUsage().user;
    expect(findCrawler("google-agent-".repeat(5_000).replaceAll("google-agent", "googlx-agent"))).toBe(
      undefined,
    );
    expect(process.cpuUsage().user - started).toBeLessThan(500_000);
  });
});
