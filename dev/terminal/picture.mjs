import { CODES } from "./style.mjs";

const CHAR_WIDTH = 8;
const LINE_HEIGHT = 19;
const FONT_SIZE = 13;
const MARGIN = 16;
const BACKGROUND = "#0d1117";
const TEXT = "#e6edf3";

/** @type {Partial<Record<import("./style.mjs").Style, string>>} */
const COLOURS = {
  dim: "#9198a1",
  red: "#ff7b72",
  green: "#56d364",
  yellow: "#e3b341",
  blue: "#79c0ff",
  magenta: "#d2a8ff",
  cyan: "#76e3ea",
};

const STYLES = new Map(
  Object.entries(CODES).map(([style, code]) => [code, /** @type {import("./style.mjs").Style} */ (style)]),
);

/**
 * What stays on a screen of what a program wrote to it. Lines that were erased to be written anew are left out.
 * @param {string} output
 * @returns {string[]} lines, with the escape sequences of colours
 */
export const screenLines = (output) =>
  output.split(/\r*\n/).map((line) => line.slice(line.lastIndexOf("\u001b[K") + 1).replace(/^\[K/, ""));

/**
 * @param {string} line
 * @returns {{ text: string, styles: import("./style.mjs").Style[], column: number }[]} its stretches of one style each
 */
const stretchesOf = (line) => {
  const stretches = [];
  /** @type {import("./style.mjs").Style[]} */
  let styles = [];
  let column = 0;
  // eslint-disable-next-line no-control-regex -- escape sequences begin with a control character
  for (const [, code, text = ""] of line.matchAll(/(?:\u001b\[(\d+)m)?([^\u001b]*)/g)) {
    const style = code === undefined ? undefined : STYLES.get(Number(code));
    if (code === "0") styles = [];
    else if (style !== undefined) styles = [...styles, style];
    if (text.trim() !== "") stretches.push({ text, styles, column });
    column += text.length;
  }
  return stretches;
};

const escaped = (/** @type {string} */ text) =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

/**
 * A picture of a terminal, in SVG. Every stretch says where it begins and how wide it is, so that columns stand below each other in whatever
 * monospaced font the reader has.
 * @param {readonly string[]} lines with the escape sequences of colours
 * @returns {string}
 */
export const pictureOf = (lines) => {
  const rows = lines.map(stretchesOf);
  const columns = Math.max(...rows.flat().map(({ text, column }) => column + text.trimEnd().length));
  const width = columns * CHAR_WIDTH + 2 * MARGIN;
  const height = lines.length * LINE_HEIGHT + 2 * MARGIN;
  const texts = rows.flatMap((row, i) =>
    row.map(({ text, styles, column }) => {
      const begin = text.length - text.trimStart().length;
      const shown = text.trim();
      const x = MARGIN + (column + begin) * CHAR_WIDTH;
      const y = MARGIN + (i + 1) * LINE_HEIGHT - 5;
      const colour = COLOURS[styles.find((style) => style in COLOURS) ?? "bold"] ?? TEXT;
      const weight = styles.includes("bold") ? ' font-weight="bold"' : "";
      const wide = `textLength="${shown.length * CHAR_WIDTH}" lengthAdjust="spacingAndGlyphs"`;
      return `<text x="${x}" y="${y}" fill="${colour}"${weight} ${wide}>${escaped(shown)}</text>`;
    }),
  );
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" xml:space="preserve"`,
    `  font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="${FONT_SIZE}">`,
    `<rect width="100%" height="100%" rx="8" fill="${BACKGROUND}"/>`,
    ...texts,
    "</svg>\n",
  ].join("\n");
};
