/** The mark of the product, as SVG. */
export const ICON_SVG =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><rect width="16" height="16" rx="4" fill="#2b5fd9"/><path d="M4.5 12V9M8 12V4m3.5 8V7" stroke="#fff" stroke-width="2"/></svg>';

/** The mark as an address that needs no network; short, since it travels with each answer (`serverInfo`). */
export const ICON_URI = `data:image/svg+xml;base64,${Buffer.from(ICON_SVG).toString("base64")}`;
