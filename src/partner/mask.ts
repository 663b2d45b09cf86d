/** Stands for a secret in whatever is kept of an answer. */
const MASK = "***";

/** An encoded byte or character is at most this many times as long as the character itself, escaped percent signs included. */
const LONGEST_FORM = 12;

const escaped = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");

/** A character as it is, and as JSON, a URL or HTML may write it. */
const anyForm = (character: string): string => {
  const forms = [`\\\\?${escaped(character)}`];
  const percent = [...Buffer.from(character)].map(
    (byte) => `%(?:25)?${caseless(byte.toString(16).padStart(2, "0"))}`,
  );
  forms.push(percent.join(""));
  const units = Array.from({ length: character.length }, (_, i) => character.charCodeAt(i));
  forms.push(units.map((unit) => `\\\\+u${caseless(unit.toString(16).padStart(4, "0"))}`).join(""));
  const code = character.codePointAt(0) ?? 0;
  forms.push(`&#(?:0*${code}|[xX]0*${caseless(code.toString(16))});`);
  if (character === "&") forms.push("&amp;");
  if (character === " ") forms.push("\\+");
  return `(?:${forms.join("|")})`;
};

const caseless = (hex: string): string =>
  hex.replace(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`);

export type Mask = {
  /**
   * Replaces every secret.
   * @param limit so many characters of the text are kept; a secret that begins within them is recognized by what follows
   */
  (text: string, limit?: number): string;
  /** So many bytes behind a cut are needed to recognize a secret that begins before it. */
  marginBytes: number;
};

/** Hides secrets in texts that are kept, in every form in which an answer is likely to repeat them. */
export const maskFor = (secrets: readonly string[]): Mask => {
  const known = [...new Set(secrets)].filter((secret) => secret !== "").sort((a, b) => b.length - a.length);
  const pattern = new RegExp(known.map((secret) => Array.from(secret, anyForm).join("")).join("|"), "g");
  const apply = (text: string, limit = text.length): string => {
    if (known.length === 0) return text.slice(0, limit);
    let shown = "";
    let at = 0;
    // One expression for all texts: it is long, and a copy of it would be compiled anew.
    pattern.lastIndex = 0;
    for (let found = pattern.exec(text); found !== null && found.index < limit; found = pattern.exec(text)) {
      shown += text.slice(at, found.index) + MASK;
      at = pattern.lastIndex;
    }
    return shown + text.slice(at, Math.max(at, limit));
  };
  return Object.assign(apply, { marginBytes: (known[0]?.length ?? 0) * LONGEST_FORM });
};
