/** What stands for the product, as favicon, as the server's icon and at the head of its pages. */
export function buildIcon(): string {
  return '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="8" fill="#2b5fd9"/><path d="M9 23v-4m7 4V9m7 14v-8" stroke="#fff" stroke-width="4" stroke-linecap="round"/></svg>';
}

/** The icon as an address, for what takes no markup; short, since it goes with each answer (`serverInfo`). */
export const iconUrl = `data:image/svg+xml;base64,${Buffer.from(buildIcon()).toString("base64")}`;
