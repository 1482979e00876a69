import { type Html, html } from "../../render/html.ts";

/** What people must know before they use the data, for example that it is made up. */
export interface Notice {
  title: string;
  text: string;
}

export const buildNotice = (notice: Notice | undefined): Html | undefined =>
  notice && html`<p class="notice"><strong>${notice.title}.</strong> ${notice.text}</p>`;
