import { styleText } from "node:util";

/** The size of a terminal, and how its user wants to see text. */
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

/** Adds a style if the screen has colours. */
export function paint({ color }: Pick<Screen, "color">, style: Style, text: string): string {
  if (!color || text === "") return text;
  // `color` is already decided; with `validateStream`, newer Node would check the environment again.
  return styleText(style, text, { validateStream: false });
}
