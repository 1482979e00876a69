/** The product's icon as SVG: the favicon, the server's icon and the logo of its pages. */
export const buildIcon = (): string =>
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="8" fill="#2b5fd9"/><path d="M9 23v-4m7 4V9m7 14v-8" stroke="#fff" stroke-width="4" stroke-linecap="round"/></svg>';

/** The icon as a data URL. Every answer carries it (`serverInfo`), so the SVG is short. */
export const iconUrl = `data:image/svg+xml;base64,${Buffer.from(buildIcon()).toString("base64")}`;
