import { type ParseErrorCode, printParseErrorCode } from "jsonc-parser";

const REASONS: Record<string, string> = {
  InvalidSymbol: "a word that is none of JSON's, or lacks its quotation marks",
  InvalidNumberFormat: "a number that is none",
  PropertyNameExpected: "a name in double quotation marks is missing",
  ValueExpected: "a value is missing",
  ColonExpected: "a colon is missing",
  CommaExpected: "a comma is missing",
  CloseBraceExpected: "a closing brace } is missing",
  CloseBracketExpected: "a closing bracket ] is missing",
  EndOfFileExpected: "there is more after the end",
  UnexpectedEndOfComment: "a comment has no end",
  UnexpectedEndOfString: "a closing quotation mark is missing",
  UnexpectedEndOfNumber: "a number has no end",
  InvalidUnicode: "\\u is not followed by four hexadecimal digits",
  InvalidEscapeCharacter: "a backslash stands alone: in a path it is written \\\\",
  InvalidCharacter: "a character that cannot stand in a text, such as a tab",
};

/** What jsonc-parser has found, in words for people. */
export function explainFault(code: ParseErrorCode): string {
  const name = printParseErrorCode(code);
  return REASONS[name] ?? name;
}
