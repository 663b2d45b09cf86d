/** A reason is one line in a log; the other side may send anything. */
export const MAX_REASON_LENGTH = 300;

/** Replaces a secret in what is kept of an answer. */
const MASK = "***";

/** The longest likely form of one character in the encodings below. */
const LONGEST_FORM = 12;

/** One character, plain or in the encodings of JSON, URLs and HTML, which may be nested. */
const UNIT =
  /\\*(?:(?<=\\)u(?<unicode>[0-9a-f]{4})|%(?:25)*(?<percent>[0-9a-f]{2})|&#(?<decimal>\d{1,7});|&#x(?<hex>[0-9a-f]{1,6});|&(?<name>amp|lt|gt|quot|apos);|(?<plain>[^\\]))/giy;

/** Characters that stand for themselves in every encoding: most of every text. */
const PLAIN_RUN = /[^\\%&+\u0080-\uffff]+/y;
const NOT_PLAIN = /[\\%&+\u0080-\uffff]/;

/** The end of a text that may be one character, cut within its encoding. */
const CUT_UNIT = /(?:(?<!\\)\\+(?:u[0-9a-f]{0,3})?|%(?:25)*[0-9a-f]?|&(?:#x?[0-9a-f]{0,7}|[a-z]{0,4}))$/i;

const NAMED: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };

/**
 * UTF-8 bytes, because percent-encoding encodes bytes; as a latin1 string, because strings can be searched.
 */
const bytesOf = (text: string): string =>
  text.charCodeAt(0) < 0x80 ? text : Buffer.from(text).toString("latin1");

const unitBytes = ({
  unicode,
  percent,
  decimal,
  hex,
  name,
  plain,
}: Record<string, string | undefined>): string => {
  if (plain !== undefined) return plain === "+" ? " " : bytesOf(plain);
  if (percent !== undefined) return String.fromCharCode(parseInt(percent, 16)).replace("+", " ");
  if (name !== undefined) return NAMED[name.toLowerCase()] ?? "";
  const code = decimal === undefined ? parseInt(unicode ?? hex ?? "", 16) : Number(decimal);
  return code > 0x10ffff ? "" : bytesOf(String.fromCodePoint(code)).replace("+", " ");
};

/**
 * A text without its encodings, and the index in the text that each byte came from. Backslashes count as
 * encoding.
 */
const flatten = (text: string): { flat: string; from: number[] } => {
  let flat = "";
  const from: number[] = [];
  let at = 0;
  while (at < text.length) {
    PLAIN_RUN.lastIndex = at;
    const run = PLAIN_RUN.exec(text)?.[0];
    if (run !== undefined) {
      for (let i = 0; i < run.length; i++) from.push(at + i);
      flat += run;
      at += run.length;
      continue;
    }
    UNIT.lastIndex = at;
    const groups = UNIT.exec(text)?.groups;
    // Only backslashes are left.
    if (groups === undefined) break;
    const bytes = unitBytes(groups);
    for (let i = 0; i < bytes.length; i++) from.push(at);
    flat += bytes;
    at = UNIT.lastIndex;
  }
  from.push(text.length);
  return { flat, from };
};

/** Shorter texts are no secrets, and masking them would destroy parts of answers, such as quoteIds. */
export const isSecret = (text: string): boolean => text.length >= 4;

/** `shown`: the masked start of a text. */
export type Masked = {
  shown: string;
  /** How many characters of the text it stands for. */ taken: number;
  hidden: number;
};

export type Mask = {
  /**
   * Replaces every secret.
   * @param limit how many characters of the text are kept; what follows them is used to recognize a secret
   *   that the limit cuts
   */
  (text: string, limit?: number): string;
  /** The same for a text that goes on after `taken`. `taken` exceeds `limit` if a secret does. */
  part: (text: string, limit: number) => Masked;
  /** How much of a text that broke off can be judged: what follows may be the start of a secret. */
  judged: (text: string) => number;
  /** How many bytes after a cut are needed to recognize a secret that begins before it. */
  marginBytes: number;
};

/**
 * Masks secrets in every form in which an answer is likely to repeat them: text and secrets are compared
 * without their encodings. Where that makes two texts equal, too much is masked, never too little.
 */
export const maskFor = (secrets: readonly string[]): Mask => {
  const known = [...new Set(secrets.map((secret) => flatten(secret).flat))]
    .filter((secret) => secret !== "")
    .sort((a, b) => b.length - a.length);

  /**
   * Gives the next secret from an index on; of those that begin at the same index, the longest. The next place of each
   * secret is kept, so that a text full of one of them is not searched again and again for the others.
   */
  const searchIn = (flat: string): ((from: number) => { index: number; end: number } | null) => {
    const places = known.map((secret) => ({ secret, index: flat.indexOf(secret) }));
    return (from) => {
      let next: { index: number; end: number } | null = null;
      for (const place of places) {
        if (place.index >= 0 && place.index < from) place.index = flat.indexOf(place.secret, from);
        const { secret, index } = place;
        if (index >= 0 && (next === null || index < next.index)) next = { index, end: index + secret.length };
      }
      return next;
    };
  };

  /** Most texts are plain and hold no secret: then nothing is copied. */
  const isClean = (text: string): boolean =>
    known.length === 0 || (!NOT_PLAIN.test(text) && !known.some((secret) => text.includes(secret)));

  const part = (text: string, limit: number): Masked => {
    if (isClean(text)) return { shown: text.slice(0, limit), taken: limit, hidden: 0 };
    const { flat, from } = flatten(text);
    let shown = "";
    let hidden = 0;
    let at = 0;
    const next = searchIn(flat);
    for (let found = next(0); found !== null; found = next(found.end)) {
      const start = from[found.index] ?? text.length;
      if (start >= limit) break;
      shown += text.slice(at, start) + MASK;
      hidden += 1;
      at = from[found.end] ?? text.length;
    }
    const taken = Math.max(at, limit);
    return { shown: shown + text.slice(at, taken), taken, hidden };
  };
  const judged = (text: string): number => {
    const end = known.length === 0 ? text.length : (CUT_UNIT.exec(text)?.index ?? text.length);
    const { flat, from } = flatten(text.slice(0, end));
    const started = known.map((secret) => {
      let length = secret.length - 1;
      while (!flat.endsWith(secret.slice(0, length))) length -= 1;
      return length;
    });
    return from[flat.length - Math.max(0, ...started)] ?? end;
  };
  return Object.assign((text: string, limit = text.length): string => part(text, limit).shown, {
    part,
    judged,
    marginBytes: Math.max(0, ...secrets.map((secret) => secret.length)) * LONGEST_FORM,
  });
};
