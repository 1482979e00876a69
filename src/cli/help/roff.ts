import { readMember } from "../../member.ts";

/** Escapes for what groff, mandoc and troff would replace by typographic characters: code must stay ASCII, for copying. */
const SPECIAL: Readonly<Record<string, string>> = {
  "\\": "\\e",
  "-": "\\-",
  "'": "\\(aq",
  '"': "\\(dq",
  "`": "\\(ga",
  "^": "\\(ha",
  "~": "\\(ti",
};

/** Escapes text for roff. A line that would begin with a control character cannot arise, as `'` is escaped and `.` shielded. */
export function escapeRoff(text: string): string {
  const escaped = text
    .replace(/[\\\-'"`^~]/g, (character) => readMember(SPECIAL, character) ?? character)
    .replace(/[^\n\u0020-\u007e]/gu, (character) => {
      const code = character.codePointAt(0)?.toString(16).toUpperCase().padStart(4, "0");
      return `\\[u${code}]`;
    });
  return escaped.replace(/^\./gm, "\\&.");
}

/** A request with one argument, which may have spaces. */
const request = (name: string, argument: string) => `.${name} "${escapeRoff(argument)}"`;

export const roff = {
  section: (title: string) => request("SH", title),
  subsection: (title: string) => request("SS", title),
  paragraph: (text: string) => [".PP", escapeRoff(text)].join("\n"),
  /** Terms with their meanings, such as options. */
  terms: (terms: readonly (readonly [string, string])[]) =>
    terms
      .map(([term, meaning]) => [".TP", `.B "${escapeRoff(term)}"`, escapeRoff(meaning)].join("\n"))
      .join("\n"),
  /** Lines that are shown as they are. */
  example: (lines: readonly string[]) => [".PP", ".EX", ...lines.map(escapeRoff), ".EE"].join("\n"),
};
