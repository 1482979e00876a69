/** What stands for the product, as favicon, as the server's icon and at the head of its pages: bars, today's open. */
export function buildIcon(): string {
  return [
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">',
    '<rect width="32" height="32" rx="8" fill="#2b5fd9"/>',
    '<g stroke="#fff" stroke-width="4" stroke-linecap="round">',
    '<path d="M9 23v-4M16 23V9"/><path d="M23 23v-8" opacity=".6"/>',
    "</g></svg>",
  ].join("");
}

/** The icon as an address, for what takes no markup. */
export function buildIconUrl(): string {
  return `data:image/svg+xml,${encodeURIComponent(buildIcon())}`;
}
