import { readMember } from "../member.ts";

/** What a crawler collects pages for. */
export type CrawlerPurpose = "training" | "search" | "assistant" | "other";

export interface Crawler {
  /** The name with which it identifies itself in the user agent, as its operator writes it. */
  value: string;
  /** The name for people. */
  label: string;
  operator: string;
  purpose: CrawlerPurpose;
}

/**
 * The known crawlers by operator and purpose: the facts of ai.robots.txt (MIT, https://github.com/ai-robots-txt/ai.robots.txt)
 * and of the operators' own pages, with the classic search engines, link previews, and tools for search engine optimization.
 * `training` collects text for models, `search` builds an index, `assistant` fetches a page because a person asked. Names
 * that are also ordinary words (Code, Operator) are left out: they would match browsers.
 */
const OPERATORS: Record<string, Partial<Record<CrawlerPurpose, readonly string[]>>> = {
  OpenAI: {
    training: ["GPTBot"],
    search: ["OAI-SearchBot"],
    assistant: ["ChatGPT-User"],
    other: ["OAI-AdsBot"],
  },
  Anthropic: {
    training: ["ClaudeBot", "anthropic-ai"],
    search: ["Claude-SearchBot"],
    assistant: ["Claude-User", "Claude-Web"],
  },
  Perplexity: { search: ["PerplexityBot"], assistant: ["Perplexity-User"] },
  Google: {
    training: ["Google-Extended"],
    search: ["Googlebot", "Storebot-Google", "Google-InspectionTool"],
    assistant: [
      "Gemini-Deep-Research",
      "Google-NotebookLM",
      "GoogleAgent-Mariner",
      "GoogleAgent-URLContext",
      "Google-Agent",
      "Google-Gemini-CLI",
      "Google-Read-Aloud",
    ],
    other: [
      "GoogleOther",
      "Google-CloudVertexBot",
      "AdsBot-Google",
      "Mediapartners-Google",
      "APIs-Google",
      "FeedFetcher-Google",
      "Google-Safety",
      "Google-Site-Verification",
    ],
  },
  Microsoft: { search: ["bingbot", "msnbot", "AzureAI-SearchBot"], other: ["BingPreview", "adidxbot"] },
  Apple: { training: ["Applebot-Extended"], search: ["Applebot"] },
  Meta: {
    training: ["meta-externalagent", "FacebookBot"],
    search: ["meta-webindexer"],
    assistant: ["meta-externalfetcher"],
    other: ["facebookexternalhit", "facebookcatalog"],
  },
  Amazon: {
    training: ["Amazonbot"],
    search: ["Amzn-SearchBot", "amazon-kendra"],
    assistant: ["Amzn-User", "AmazonBuyForMe", "NovaAct", "amazon-QBusiness"],
    other: ["bedrockbot"],
  },
  ByteDance: { training: ["Bytespider", "TikTokSpider"] },
  "Common Crawl": { training: ["CCBot"] },
  "Mistral AI": { assistant: ["MistralAI-User"] },
  Cohere: { training: ["cohere-training-data-crawler"], assistant: ["cohere-ai"] },
  DeepSeek: { training: ["DeepSeekBot"] },
  DuckDuckGo: { search: ["DuckDuckBot"], assistant: ["DuckAssistBot"] },
  "You.com": { search: ["YouBot"] },
  Brave: { search: ["Bravebot"] },
  Kagi: { search: ["Kagibot"], assistant: ["kagi-fetcher"] },
  Exa: { search: ["ExaBot", "ExaSearchBot"] },
  Tavily: { search: ["TavilyBot"] },
  Linkup: { search: ["LinkupBot"] },
  Andi: { search: ["Andibot"] },
  iAsk: { search: ["iAskBot", "iaskspider"] },
  Phind: { assistant: ["PhindBot"] },
  Liner: { assistant: ["LinerBot"] },
  Manus: { assistant: ["Manus-User"] },
  "Moonshot AI": { assistant: ["Kimi-User"] },
  Alibaba: { assistant: ["TongyiBot"] },
  Firecrawl: { assistant: ["FirecrawlAgent"] },
  Cloudflare: { search: ["Cloudflare-AutoRAG"] },
  Atlassian: { assistant: ["atlassian-bot"] },
  Huawei: { training: ["PanguBot"], search: ["PetalBot"] },
  "Zhipu AI": { training: ["ChatGLM-Spider"] },
  Ai2: { training: ["AI2Bot", "Ai2Bot-Dolma"], assistant: ["AI2Bot-DeepResearchEval"] },
  Diffbot: { training: ["Diffbot"] },
  "Webz.io": { training: ["omgili", "omgilibot", "Webzio-Extended"] },
  LAION: { training: ["laion-huggingface-processor", "LAIONDownloader", "img2dataset"] },
  NICT: { training: ["ICC-Crawler"] },
  ROIS: { training: ["Cotoyogi"] },
  "SB Intuitions": { training: ["SBIntuitionsBot"] },
  Timpi: { training: ["Timpibot"] },
  Velen: { training: ["VelenPublicWebCrawler"] },
  FactSet: { training: ["Factset_spyderbot"] },
  ImageSift: { other: ["ImagesiftBot"] },
  Yandex: {
    training: ["YandexAdditional", "YandexAdditionalBot"],
    search: ["YandexBot", "YandexImages", "YandexRenderResourcesBot"],
    other: ["YandexMetrika"],
  },
  Baidu: { search: ["Baiduspider"], assistant: ["YiyanBot"] },
  Sogou: { search: ["Sogou web spider"] },
  "360": { search: ["360Spider"] },
  Naver: { search: ["Yeti"] },
  Seznam: { search: ["SeznamBot"] },
  Yahoo: { search: ["Slurp"] },
  Qwant: { search: ["Qwantbot", "Qwantify"] },
  Mojeek: { search: ["MojeekBot"] },
  "Cốc Cốc": { search: ["coccocbot-web", "coccocbot-image"] },
  "Internet Archive": { other: ["archive.org_bot", "ia_archiver"] },
  Ahrefs: { other: ["AhrefsBot", "AhrefsSiteAudit"] },
  Semrush: { other: ["SemrushBot", "SiteAuditBot"] },
  Majestic: { other: ["MJ12bot"] },
  Moz: { other: ["DotBot", "rogerbot"] },
  DataForSEO: { other: ["DataForSeoBot"] },
  "SEO PowerSuite": { other: ["BLEXBot"] },
  Serpstat: { other: ["serpstatbot"] },
  Babbar: { other: ["Barkrowler"] },
  "Screaming Frog": { other: ["Screaming Frog SEO Spider"] },
  X: { other: ["Twitterbot"] },
  LinkedIn: { other: ["LinkedInBot"] },
  Slack: { other: ["Slackbot", "Slackbot-LinkExpanding"] },
  Telegram: { other: ["TelegramBot"] },
  Discord: { other: ["Discordbot"] },
  Pinterest: { other: ["Pinterestbot"] },
  Reddit: { other: ["redditbot"] },
  UptimeRobot: { other: ["UptimeRobot"] },
  Pingdom: { other: ["Pingdom.com_bot"] },
};

/** Labels for names in the user agent that say little. */
const LABELS: Readonly<Record<string, string>> = {
  bingbot: "Bingbot",
  Slurp: "Yahoo Slurp",
  Yeti: "Naver Yeti",
  "Sogou web spider": "Sogou Spider",
  CCBot: "Common Crawl (CCBot)",
  facebookexternalhit: "Facebook link preview",
  "archive.org_bot": "Internet Archive",
  DotBot: "Moz DotBot",
};

/** All known crawlers. */
export const crawlers: readonly Crawler[] = Object.entries(OPERATORS).flatMap(([operator, names]) =>
  Object.entries(names).flatMap(([purpose, values]) =>
    values.map((value) => ({
      value,
      label: readMember(LABELS, value) ?? value,
      operator,
      // The keys of `names`, which Object.entries widens.
      purpose: purpose as CrawlerPurpose,
    })),
  ),
);

const byName = new Map(crawlers.map((crawler) => [crawler.value.toLowerCase(), crawler]));

/**
 * All names in one expression, so that a user agent is read once. The longest come first: `Applebot-Extended` also begins
 * with `Applebot`. A name within a longer word does not count.
 */
const PATTERN = new RegExp(
  `(?<![a-z\\d])(?:${[...byName.keys()]
    .sort((a, b) => b.length - a.length)
    .map((name) => name.replaceAll(/[.+*?^$()[\]{}|\\/]/g, "\\$&"))
    .join("|")})(?![a-z\\d])`,
  "i",
);

/**
 * The crawler that a user agent names; undefined for browsers and unknown crawlers. Anybody can send any user
 * agent: this is how a program identifies itself, not a proof.
 */
export function findCrawler(userAgent: string): Crawler | undefined {
  const [name] = PATTERN.exec(userAgent) ?? [];
  return name === undefined ? undefined : byName.get(name.toLowerCase());
}

/** The bots that are no known crawlers, where crawlers are kept by name. */
export const NO_NAME = "";

interface DescribedCrawler extends Omit<Crawler, "value" | "operator"> {
  /** Null for `NO_NAME`. */
  value: string | null;
  operator: string | null;
}

/** Who a crawler of that name is. A later version of the list may lack a crawler that an earlier version counted. */
export function describeCrawler(name: string): DescribedCrawler {
  if (name === NO_NAME)
    return { value: null, label: "(scripts, tools and other bots)", operator: null, purpose: "other" };
  return byName.get(name.toLowerCase()) ?? { value: name, label: name, operator: null, purpose: "other" };
}
