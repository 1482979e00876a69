import { type Html, html } from "./html.ts";

/** What everybody must know of the data before they use it, such as that it is made up. */
export interface Notice {
  title: string;
  text: string;
}

export function buildNotice(notice: Notice | undefined): Html | undefined {
  return notice && html`<p class="notice"><strong>${notice.title}.</strong> ${notice.text}</p>`;
}
