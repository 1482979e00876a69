/** What a request asks for, judged by its path. */
export type Asked = "page" | "download" | "static" | "feed" | "data";

/** Files that belong to pages, by suffix. docs/log-rules.md lists these and the downloads. */
export const STATIC = words(`
  avif bmp cur eot gif ico jpeg jpg jxl otf png svg svgz tif tiff ttf webp woff woff2
  css js mjs cjs map wasm json jsonld webmanifest xml txt vtt less scss ts m3u8 mpd
  aac flac m4a m4v mid mov mp3 mp4 mpeg mpg oga ogg ogv opus wav weba webm wma wmv avi
  swf flv f4v mkv mka 3gp 3g2 asf aif aiff amr srt ass ssa
  heic heif psd eps jfif jpe tga dds exr glb gltf usdz htc xap xsl xslt dtd pbf mvt geojson topojson`);

/** Files that people save, by suffix; the event `File Download`. */
export const DOWNLOADS = words(`
  7z apk bz2 csv deb dmg doc docx epub exe gz ics iso jar key mobi msi numbers odp ods odt pages pdf pkg pps ppsx ppt
  pptx rar rpm rtf tar tgz xls xlsx xz zip zst`);

function words(text: string): Set<string> {
  return new Set(text.trim().split(/\s+/));
}

/** Data that frameworks fetch for a page that is already shown, and paths that servers and proxies add. */
const DATA =
  /^\/(?:_next\/data|_nuxt|__data\.json|page-data|_astro|_app\/immutable|cdn-cgi|\.well-known|wp-json|wp-admin|wp-cron\.php|xmlrpc\.php)(?:\/|$)|\/__data\.json$/;
const DATA_QUERY = /(?:^|[?&])(?:_rsc|_data|__turbo|_pjax)=/;

const FEED = /(?:^|\/)(?:feed|rss|atom)\/?$|(?:^|\/)(?:feed|rss|atom|index)\.xml$|\.(?:rss|atom|rdf)$/i;

/** Blogs name a feed in the query: WordPress `?feed=rss2`, others `?flav=atom` or `?format=rss`. */
const FEED_QUERY = /(?:^|&)(?:feed|flav|format|type)=(?:rss\d*|atom|rdf)(?:&|$)/i;

const NO_PAGES: Readonly<Record<Asked, string | undefined>> = {
  page: undefined,
  feed: "feeds are not counted as pages",
  static: "styles, scripts, images and other files of pages are not counted as pages",
  download: "downloads are counted as the event File Download, not as pages",
  data: "data that pages fetch is not counted as a page",
};

/** Why a path, with its query if it has one, is never in the lists of pages; undefined if it can be. */
export function explainNoPage(text: string): string | undefined {
  const [path = "", query = ""] = text.split("?", 2);
  return path.startsWith("/") ? NO_PAGES[classifyPath(path, query)] : undefined;
}

/** The same rules about paths as regular expressions, for SQL. */
export const NO_PAGE_PATTERNS: readonly string[] = [
  `\\.(?:${[...STATIC, ...DOWNLOADS].join("|")})$`,
  FEED.source,
  DATA.source,
];

/** Judges a path and its query. */
export function classifyPath(path: string, query: string): Asked {
  if (FEED.test(path) || FEED_QUERY.test(query)) return "feed";
  const dot = path.lastIndexOf(".");
  if (dot >= 0 && !path.includes("/", dot)) {
    const extension = path.slice(dot + 1).toLowerCase();
    if (STATIC.has(extension)) return "static";
    if (DOWNLOADS.has(extension)) return "download";
  }
  return DATA.test(path) || DATA_QUERY.test(query) ? "data" : "page";
}
