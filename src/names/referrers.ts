/*
 * Known referrers by kind. A host stands for itself and its subdomains; `*` is any top-level domain, with or without
 * `co` or `com` before it. All hosts of a site count as the first one. The facts are from
 * matomo-org/searchengine-and-social-list and from the sites themselves.
 */

export type ReferrerKind = "search" | "social" | "video" | "shopping" | "mail" | "assistant";

const KNOWN: Record<ReferrerKind | "site", string> = {
  search: `
    Google: google.*; Bing: bing.com; DuckDuckGo: duckduckgo.com; Yahoo!: search.yahoo.com yahoo.com
    Yahoo! Japan: search.yahoo.co.jp yahoo.co.jp; Ecosia: ecosia.org; Qwant: qwant.com; Startpage: startpage.com ixquick.com
    Brave Search: search.brave.com; Yandex: yandex.* ya.ru; Baidu: baidu.com; Naver: naver.com; Seznam: seznam.cz
    Sogou: sogou.com; 360 Search: so.com; Kagi: kagi.com; Mojeek: mojeek.com; Swisscows: swisscows.com; AOL: aol.com
    Ask: ask.com; Lycos: lycos.*; Dogpile: dogpile.com; Presearch: presearch.com; Coc Coc: coccoc.com; Daum: daum.net
    MetaGer: metager.org metager.de; SearXNG: searx.be; Rambler: rambler.ru; T-Online: suche.t-online.de
    Web.de: suche.web.de; GMX: suche.gmx.net; Goo: goo.ne.jp; Petal Search: petalsearch.com; Yep: yep.com`,
  social: `
    Facebook: facebook.com fb.com fb.me; Instagram: instagram.com; Threads: threads.net threads.com
    X: x.com twitter.com t.co twitter; LinkedIn: linkedin.com lnkd.in; Reddit: reddit.com redd.it; Pinterest: pinterest.* pin.it
    Mastodon: mastodon.social; mastodon.online: mastodon.online; mstdn.social: mstdn.social; mstdn.jp: mstdn.jp
    Fosstodon: fosstodon.org; Hachyderm: hachyderm.io; mas.to: mas.to; infosec.exchange: infosec.exchange
    Bluesky: bsky.app; Tumblr: tumblr.com; Quora: quora.com; VK: vk.com; Odnoklassniki: ok.ru; Weibo: weibo.com weibo.cn
    Telegram: t.me telegram.org telegram.me; WhatsApp: whatsapp.com wa.me; Discord: discord.com discord.gg discordapp.com
    Snapchat: snapchat.com; XING: xing.com; lemmy.world: lemmy.world; lemmy.ml: lemmy.ml; Medium: medium.com; LINE: line.me
    Douyin: douyin.com; Xiaohongshu: xiaohongshu.com; WeChat: weixin.qq.com; Nextdoor: nextdoor.com; Slack: slack.com
    Lobsters: lobste.rs; Messenger: messenger.com; Viber: viber.com; Vero: vero.co; Truth Social: truthsocial.com`,
  video: `
    YouTube: youtube.com youtu.be youtube-nocookie.com; Vimeo: vimeo.com; Twitch: twitch.tv; TikTok: tiktok.com
    Dailymotion: dailymotion.com; Bilibili: bilibili.com; Netflix: netflix.com; Odysee: odysee.com; Rumble: rumble.com`,
  shopping: `
    Amazon: amazon.*; eBay: ebay.*; Etsy: etsy.com; AliExpress: aliexpress.com; Walmart: walmart.com; Idealo: idealo.*
    Google Shopping: shopping.google.com; Mercado Libre: mercadolibre.* mercadolivre.*; Rakuten: rakuten.co.jp rakuten.com`,
  mail: `
    Gmail: mail.google.com com.google.android.gm; Outlook: outlook.live.com outlook.office.com outlook.office365.com
    Yahoo! Mail: mail.yahoo.com mail.yahoo.co.jp; Proton Mail: mail.proton.me; Fastmail: app.fastmail.com
    GMX Mail: gmx.net gmx.com; iCloud Mail: icloud.com; Zoho Mail: mail.zoho.com; Mail.ru: mail.ru e.mail.ru`,
  assistant: `
    ChatGPT: chatgpt.com chat.openai.com openai.com; Claude: claude.ai; Gemini: gemini.google.com bard.google.com
    Perplexity: perplexity.ai; Copilot: copilot.microsoft.com copilot.cloud.microsoft; Le Chat: chat.mistral.ai
    DeepSeek: chat.deepseek.com deepseek.com; Grok: grok.com; Meta AI: meta.ai; You.com: you.com; Phind: phind.com
    Duck.ai: duck.ai; Poe: poe.com; NotebookLM: notebooklm.google.com; Qwen: chat.qwen.ai; Kimi: kimi.com kimi.ai
    iAsk: iask.ai; ChatGLM: chatglm.cn; Doubao: doubao.com; Pi: pi.ai; Character.AI: character.ai
    Baidu AI: yiyan.baidu.com ai.baidu.com; Jasper: app.jasper.ai; Writesonic: app.writesonic.com; Andi: andisearch.com`,
  site: `
    Hacker News: news.ycombinator.com; GitHub: github.com; GitLab: gitlab.com; Stack Overflow: stackoverflow.com
    DEV Community: dev.to; Wikipedia: wikipedia.org; Product Hunt: producthunt.com; Substack: substack.com
    Feedly: feedly.com; Pocket: getpocket.com; npm: npmjs.com; PyPI: pypi.org; crates.io: crates.io; Notion: notion.so`,
};

interface Referrer {
  name: string;
  kind: ReferrerKind | undefined;
  host: string;
}

/** By host, and by word: `utm_source=google` means the same as google.com. */
let byHost: Map<string, Referrer> | undefined;

function readKnown(): Map<string, Referrer> {
  const found = new Map<string, Referrer>();
  for (const [kind, list] of Object.entries(KNOWN)) {
    for (const [, name = "", hosts = ""] of list.matchAll(/\s*([^:;\n]+): ([^;\n]+)/g)) {
      const [first = "", ...others] = hosts.split(" ");
      const referrer: Referrer = {
        name,
        host: first.replace("*", "com"),
        // The keys are those of KNOWN.
        kind: kind === "site" ? undefined : (kind as ReferrerKind),
      };
      for (const host of [first, ...others]) found.set(host, referrer);
      const word = name.toLowerCase();
      if (kind !== "site" && !found.has(word)) found.set(word, referrer);
    }
  }
  return found;
}

function findReferrer(host: string): Referrer | undefined {
  byHost ??= readKnown();
  for (let name = host; ; ) {
    const dot = name.indexOf(".");
    const any =
      dot > 0 && /^(?:com?\.)?[a-z]{2,3}$/.test(name.slice(dot + 1)) ? `${name.slice(0, dot)}.*` : "";
    const found = byHost.get(name) ?? byHost.get(any);
    if (found || dot < 0) return found;
    name = name.slice(dot + 1);
  }
}

/** The host that a referring host counts as: google.com for google.de, facebook.com for m.facebook.com. */
export const groupReferrer = (host: string): string => findReferrer(host)?.host ?? host;

/** @param host A host in lower case and without `www.`, or the value of `utm_source`. */
export const findReferrerKind = (host: string): ReferrerKind | undefined => findReferrer(host)?.kind;

/** The name of a referring host for people: that of a known site, else the host. */
export const nameReferrer = (host: string): string => findReferrer(host)?.name ?? host;
