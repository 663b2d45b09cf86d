export const CODES = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33, blue: 34, magenta: 35, cyan: 36 };

/** @typedef {keyof typeof CODES} Style */

/**
 * @param {{ isTTY?: boolean }} stream
 * @param {NodeJS.ProcessEnv} env
 * @returns {boolean} whether colours belong on this stream
 */
export const wantsColour = (stream, env) => stream.isTTY === true && !env.NO_COLOR && env.TERM !== "dumb";

/**
 * @param {boolean} colours
 * @returns {(style: Style, text: string) => string}
 */
export const painter = (colours) => (style, text) =>
  colours ? `\u001b[${CODES[style]}m${text}\u001b[0m` : text;
