/** A reason is one line in a log; the other side may send anything. */
export const MAX_REASON_LENGTH = 300;

const MASK = "***";

/** Shorter texts are no secrets, and masking them would destroy parts of answers, such as quoteIds. */
const LEAST_LENGTH = 4;
/** Shorter parts of a text in base64 occur by chance. */
const LEAST_BASE64_LENGTH = 5;

/** One way to write a secret: for each of its characters the texts that may stand for it. */
type Spelling = readonly (readonly string[])[];

const hex = (value: number, digits: number): string => value.toString(16).padStart(digits, "0");

/** A character as it is, escaped in JSON, and percent-encoded in a URL or a form. */
const plainForms = (character: string): readonly string[] => {
  const units = Array.from({ length: character.length }, (_, i) => hex(character.charCodeAt(i), 4));
  const bytes = Array.from(Buffer.from(character), (byte) => hex(byte, 2));
  return [
    ...[units, units.map((unit) => unit.toUpperCase())].map((each) => `\\u${each.join("\\u")}`),
    ...[bytes, bytes.map((byte) => byte.toUpperCase())].map((each) => `%${each.join("%")}`),
    ...(/\W/.test(character) ? [`\\${character}`] : []),
    ...(character === " " ? ["+"] : []),
    character,
  ];
};

/** A character of base64, of which there is a form for URLs. Slashes may be escaped in JSON. */
const base64Forms = (character: string): readonly string[] =>
  ({
    "+": ["%2b", "%2B", "\\u002b", "\\u002B", "+", "-"],
    "/": ["%2f", "%2F", "\\u002f", "\\u002F", "\\/", "/", "_"],
  })[character] ?? [character];

/** The text in base64: alone, and as a part of more, which may begin at each of three places in a group of bytes. */
const inBase64 = (text: string): string[] => {
  const alone = Buffer.from(text).toString("base64").replace(/=+$/, "");
  const parts = [0, 1, 2].map((before) => {
    const encoded = Buffer.from("\0".repeat(before) + text).toString("base64");
    const bits = 8 * (before + Buffer.byteLength(text));
    // Characters at both ends that share bits with other bytes are not known.
    return encoded.slice(Math.ceil((8 * before) / 6), Math.floor(bits / 6));
  });
  return [alone, ...parts].filter((part) => part.length >= LEAST_BASE64_LENGTH);
};

const spellingsOf = (secret: string): Spelling[] => [
  Array.from(secret, plainForms),
  ...inBase64(secret).map((text) => Array.from(text, base64Forms)),
];

const escaped = (text: string): string =>
  text.replace(/[^A-Za-z0-9]/g, (character) => `\\u${hex(character.charCodeAt(0), 4)}`);

/** The pattern looks for so much of a spelling: one over a whole token takes seconds to compile. */
const HEAD_LENGTH = 16;

const headOf = (spelling: Spelling): string =>
  spelling
    .slice(0, HEAD_LENGTH)
    .map((forms) => (forms.length === 1 ? forms.map(escaped) : `(?:${forms.map(escaped).join("|")})`))
    .join("");

/** Where a spelling ends that stands in the text at `start`; null if it does not stand there. */
const endOf = (text: string, start: number, spelling: Spelling): number | null => {
  let ends = [start];
  for (const forms of spelling) {
    const next = new Set<number>();
    for (const end of ends)
      for (const form of forms) if (text.startsWith(form, end)) next.add(end + form.length);
    ends = [...next];
    if (ends.length === 0) return null;
  }
  return Math.max(...ends);
};

const longestOf = (spelling: Spelling): number =>
  spelling.reduce((sum, forms) => sum + Math.max(...forms.map((form) => form.length)), 0);

/** `shown`: the masked start of a text. `taken`: how many characters of the text it stands for. */
type Masked = { shown: string; taken: number; hidden: number };

export type Mask = {
  /** What follows `limit` characters is only used to recognize a secret that the limit cuts. */
  (text: string, limit?: number): string;
  /** Masks the beginning of a text that goes on. `taken` exceeds `limit` if a secret crosses it. */
  part: (text: string, limit: number) => Masked;
  /** How many bytes after a cut are needed to recognize a secret that begins before it. */
  marginBytes: number;
};

/** Secrets are found as they are, escaped in JSON, percent-encoded and in base64, but not in two encodings. */
export const maskFor = (secrets: readonly string[]): Mask => {
  const spellings = [...new Set(secrets)]
    .filter((secret) => secret.length >= LEAST_LENGTH)
    .flatMap(spellingsOf)
    .sort((a, b) => b.length - a.length);
  // If there are no secrets, the pattern matches nothing.
  const pattern = new RegExp(spellings.map(headOf).join("|") || "(?!)", "g");

  const secretEnd = (text: string, start: number): number | null => {
    for (const spelling of spellings) {
      const end = endOf(text, start, spelling);
      if (end !== null) return end;
    }
    return null;
  };
  const part = (text: string, limit: number): Masked => {
    let shown = "";
    let hidden = 0;
    let end = 0;
    pattern.lastIndex = 0;
    for (let head = pattern.exec(text); head && head.index < limit; head = pattern.exec(text)) {
      const endOfSecret = secretEnd(text, head.index);
      if (endOfSecret !== null) {
        shown += text.slice(end, head.index) + MASK;
        hidden += 1;
        end = endOfSecret;
      }
      pattern.lastIndex = endOfSecret ?? head.index + 1;
    }
    const taken = Math.max(end, limit);
    return { shown: shown + text.slice(end, taken), taken, hidden };
  };
  const mask = (text: string, limit = text.length): string => part(text, limit).shown;
  return Object.assign(mask, { part, marginBytes: Math.max(0, ...spellings.map(longestOf)) });
};

/** Keeps the last result of `make`, and calls it again only when one of the texts has changed. */
export const madeFrom = <T>(make: (texts: readonly string[]) => T): ((texts: readonly string[]) => T) => {
  let last: { texts: readonly string[]; result: T } | null = null;
  return (texts) => {
    const isLast = last?.texts.length === texts.length && texts.every((text, i) => text === last?.texts[i]);
    if (last === null || !isLast) last = { texts, result: make(texts) };
    return last.result;
  };
};
