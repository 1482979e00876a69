import stringWidth from "fast-string-width";

/** A character's cell in pixels. Text is stretched to it, so that columns align in any font. */
const CELL = { width: 8.4, height: 20, baseline: 14.5 };
const MARGIN = 20;
const BAR = 36;

const colors: Record<string, string> = { 31: "red", 32: "green", 33: "yellow", 36: "cyan" };

const STYLE = `text { font: 14px ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", monospace; fill: #d5d9e0; white-space: pre }
.bold { font-weight: 700; fill: #fff } .dim { fill: #959ba6 } .cyan { fill: #5cc3d8 }
.green { fill: #74c98b } .red { fill: #f08a80 } .yellow { fill: #e3bd6a } .prompt { fill: #74c98b }`;

interface Piece {
  text: string;
  /** In cells. */
  column: number;
  style: string;
}

/** Draws a terminal with a command and its coloured output, as an SVG that looks the same with any fonts. */
export function drawTerminal(command: string, output: string, columns: number): string {
  const lines = [`\u001b[prompt$\u001b[39m ${command}`, ...output.trimEnd().split("\n")].map(readLine);
  const width = Math.ceil(2 * MARGIN + columns * CELL.width);
  const height = BAR + lines.length * CELL.height + MARGIN;
  const buttons = ["#f0655a", "#e6b341", "#57b561"].map(
    (fill, index) => `<circle cx="${MARGIN + 2 + index * 18}" cy="20" r="5.5" fill="${fill}"/>`,
  );
  const drawn = lines.flatMap((pieces, row) =>
    pieces.map((piece) => drawPiece(piece, BAR + row * CELL.height)),
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${escapeXml(command)}">
<style>${STYLE}</style>
<rect x=".5" y=".5" width="${width - 1}" height="${height - 1}" rx="9" fill="#16181d" stroke="#3a3f4a"/>
${[...buttons, ...drawn].join("\n")}
</svg>
`;
}

/** Splits a line into pieces with one style each; a piece is either words or block characters. */
function readLine(line: string): Piece[] {
  const pieces: Piece[] = [];
  let column = 0;
  let style = "";
  // biome-ignore lint/suspicious/noControlCharactersInRegex: colours are escape sequences
  for (const [, code, text = ""] of line.matchAll(/(?:\u001b\[(\d+|prompt)m?)?([^\u001b]*)/g)) {
    if (code !== undefined) style = readStyle(code);
    for (const { 0: run, index } of text.matchAll(/[▁-▏·▲▼]+|[^\s▁-▏·▲▼]+(?: [^\s▁-▏·▲▼]+)*/gu)) {
      pieces.push({ text: run, column: column + stringWidth(text.slice(0, index)), style });
    }
    column += stringWidth(text);
  }
  return pieces;
}

function readStyle(code: string): string {
  if (code === "1") return "bold";
  if (code === "2") return "dim";
  if (code === "prompt") return code;
  return colors[code] ?? "";
}

function drawPiece({ text, column, style }: Piece, top: number): string {
  const x = MARGIN + column * CELL.width;
  const look = style === "" ? "" : ` class="${style}"`;
  if (/[▁-▏·▲▼]/u.test(text)) {
    const shapes = [...text].map((sign, index) => drawSign(sign, x + index * CELL.width, top));
    return `<path${look} d="${shapes.join("")}"/>`;
  }
  const length = round(stringWidth(text) * CELL.width);
  return `<text x="${round(x)}" y="${round(top + CELL.baseline)}" textLength="${length}" lengthAdjust="spacingAndGlyphs"${look}>${escapeXml(text)}</text>`;
}

/** Block elements (U+2581 to U+258F) fill eighths of their cell, from the bottom or from the left. */
function drawSign(sign: string, left: number, top: number): string {
  const code = sign.codePointAt(0) ?? 0;
  const { width, height } = CELL;
  if (sign === "·") return box(left + width / 2 - 1, top + height / 2 - 1, 2, 2);
  if (sign === "▲")
    return `M${round(left + 0.5)} ${top + 14}h${round(width - 1)}l${round(0.5 - width / 2)} -8z`;
  if (sign === "▼")
    return `M${round(left + 0.5)} ${top + 6}h${round(width - 1)}l${round(0.5 - width / 2)} 8z`;
  const rise = code <= 0x2588 ? ((code - 0x2580) / 8) * height : height;
  const reach = code <= 0x2588 ? width : ((0x2590 - code) / 8) * width;
  return box(left, top + height - rise, reach, rise);
}

const box = (x: number, y: number, width: number, height: number) =>
  `M${round(x)} ${round(y)}h${round(width)}v${round(height)}h${round(-width)}z`;

const round = (value: number) => String(Math.round(value * 100) / 100);

const escapeXml = (text: string) =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
