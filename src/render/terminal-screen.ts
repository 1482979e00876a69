import { styleText } from "node:util";

/** Where a text is shown to people, and how they want to see it. */
export interface Screen {
  /** In columns. */
  width: number;
  /** In lines. */
  height: number;
  color: boolean;
  /** Sparklines, bars, charts and arrows. */
  pictures: boolean;
  /** BCP 47, for numbers and names. */
  locale: string;
}

export type Style = "bold" | "dim" | "red" | "green" | "yellow" | "cyan";

/** A text in a style, where the screen has colours. */
export function paint({ color }: Pick<Screen, "color">, style: Style, text: string): string {
  if (!color || text === "") return text;
  // The decision is made: left to itself, newer Node looks at the environment again.
  return styleText(style, text, { validateStream: false });
}
