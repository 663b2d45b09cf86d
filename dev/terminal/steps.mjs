const CODES = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33, blue: 34, magenta: 35, cyan: 36 };

/** @typedef {keyof typeof CODES} Style */

/**
 * @param {{ isTTY?: boolean }} stream
 * @param {NodeJS.ProcessEnv} env
 * @returns {boolean} whether colours belong on this stream
 */
const wantsColour = (stream, env) => stream.isTTY === true && !env.NO_COLOR && env.TERM !== "dumb";

/**
 * @param {boolean} colours
 * @returns {(style: Style, text: string) => string}
 */
const painter = (colours) => (style, text) => (colours ? `\u001b[${CODES[style]}m${text}\u001b[0m` : text);

const FRAMES = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏";
const FRAME_MS = 100;

/** @param {number} ms */
const seconds = (ms) => `${(ms / 1000).toFixed(1).padStart(5)} s`;

/**
 * Shows steps that run side by side: a line when one ends, with how long it took; while some run, a moving line on a terminal, and a line
 * at each start where the output is a file.
 * @param {{ stream?: NodeJS.WriteStream, env?: NodeJS.ProcessEnv }} [options]
 */
export function createSteps({ stream = process.stdout, env = process.env } = {}) {
  const paint = painter(wantsColour(stream, env));
  const live = stream.isTTY === true && env.TERM !== "dumb";
  /** @type {Map<string, number>} */
  const active = new Map();
  let frame = 0;
  /** @type {NodeJS.Timeout | undefined} */
  let timer;

  const erase = () => {
    if (live) stream.write("\r\u001b[K");
  };
  const draw = () => {
    if (!live || active.size === 0) return;
    const now = Date.now();
    const parts = [...active].map(([label, since]) => `${label} ${Math.floor((now - since) / 1000)} s`);
    const text = `  ${FRAMES[frame++ % FRAMES.length]} ${parts.join(" · ")}`;
    stream.write(`\r\u001b[K${paint("dim", text.slice(0, stream.columns - 1))}`);
  };
  /** @param {string} text */
  const line = (text) => {
    erase();
    stream.write(`${text}\n`);
    draw();
  };
  const startMoving = () => {
    if (!live) return;
    timer ??= setInterval(draw, FRAME_MS);
    timer.unref();
  };
  const stopMoving = () => {
    if (active.size > 0) return;
    clearInterval(timer);
    timer = undefined;
    erase();
  };

  /**
   * @template T
   * @param {string} label what is done, such as "starting Kafka"
   * @param {() => Promise<T>} work
   * @param {(result: T) => string} [outcome] what is said of the result
   * @returns {Promise<T>}
   */
  const step = async (label, work, outcome = () => label) => {
    const since = Date.now();
    active.set(label, since);
    if (!live) line(`  … ${label}`);
    startMoving();
    try {
      const result = await work();
      active.delete(label);
      line(`  ${paint("green", "✓")} ${paint("dim", seconds(Date.now() - since))}  ${outcome(result)}`);
      return result;
    } catch (error) {
      active.delete(label);
      line(`  ${paint("red", "✗")} ${paint("dim", seconds(Date.now() - since))}  ${label}`);
      throw error;
    } finally {
      stopMoving();
    }
  };

  return { step, line, paint, say: (/** @type {string} */ text) => line(`    ${paint("dim", text)}`) };
}

/** @typedef {ReturnType<typeof createSteps>} Steps */
