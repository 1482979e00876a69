// @ts-check
import { readObject, readText } from "./host.js";

const INSETS = ["top", "right", "bottom", "left"];

/**
 * Applies the host's theme, colours, font and safe area.
 * @param {Record<string, unknown>} context
 */
export function applyHostStyle({ theme, styles, safeAreaInsets }) {
  const root = document.documentElement;
  if (theme === "light" || theme === "dark") root.dataset.theme = theme;
  else delete root.dataset.theme;

  const variables = readObject(readObject(styles).variables);
  const [paper, ink] = ["--color-background-primary", "--color-text-primary"].map((name) =>
    readColor(variables[name]),
  );
  // The host's text colour may be unreadable on our background and the other way round: use both or neither.
  setOrRemove(root, "--host-paper", paper && ink ? paper : "");
  setOrRemove(root, "--host-ink", paper && ink ? ink : "");
  setOrRemove(root, "--host-font", readText(variables["--font-sans"]));

  const insets = readObject(safeAreaInsets);
  for (const side of INSETS) {
    const inset = insets[side];
    setOrRemove(root, `--inset-${side}`, typeof inset === "number" && inset > 0 ? `${inset}px` : "");
  }
}

/** @param {unknown} value */
function readColor(value) {
  const text = readText(value);
  return CSS.supports("color", text) ? text : "";
}

/** @param {HTMLElement} element @param {string} name @param {string} value */
function setOrRemove(element, name, value) {
  if (value === "") element.style.removeProperty(name);
  else element.style.setProperty(name, value);
}
