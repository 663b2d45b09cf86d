import { KEY_INDEX, WORDS, type Fingerprint } from "./fingerprint.ts";
import { createRows } from "./rows.ts";

export type Final = {
  /** The offset of the Concluded entry; of the Claimed entry if the fold itself concluded the command. */
  offset: number;
  succeeded: boolean;
};

type Known = {
  final: Final | null;
  /** Whether some command is known to have executed the accept of this key. */
  spent: boolean;
  /** The content hash of the command's first entry under this key; null if it has none. */
  content: number | null;
};

// A command's row: the fingerprint, the content, the low 32 bits of the offset, then its high 21 bits and the flags.
const CONTENT = WORDS;
const LOW = WORDS + 1;
const HIGH = WORDS + 2;
const HIGH_MASK = 0x1fffff;
const USED = 1 << 26;
const FINAL = 1 << 27;
const SPENT = 1 << 28;
const SUCCEEDED = 1 << 29;
const TWO_32 = 2 ** 32;

const wordAt = (print: Fingerprint, index: number): number => print[index] ?? 0;

/**
 * Remembers each command in 32 bytes, found by its commandId, which names one command whatever its key, and each spent
 * key in 8 bytes: a quote may have any number of commands. Tables are 47 to 70 percent full: 57 to 86 bytes a command.
 */
export const createMemory = () => {
  const commands = createRows(WORDS + 3);
  /** Rows of two words: the key's second word, by which they are found, then its first. */
  const spentKeys = createRows(2);

  const agree = (row: number, print: Fingerprint, from: number, to: number): boolean => {
    for (let i = from; i < to; i++) if (commands.word(row, i) !== print[i]) return false;
    return true;
  };
  const findRow = (print: Fingerprint): number => {
    let row = commands.first(wordAt(print, 0));
    while (row >= 0 && !agree(row, print, 1, WORDS)) row = commands.next(row);
    return row;
  };

  const isSpent = (first: number, second: number): boolean => {
    let row = spentKeys.first(second);
    while (row >= 0 && spentKeys.word(row, 1) !== first) row = spentKeys.next(row);
    return row >= 0;
  };
  const spend = (first: number, second: number): void => {
    if (!isSpent(first, second)) spentKeys.add([second, first]);
  };

  const flagsOf = (row: number): number => commands.word(row, HIGH);
  const offsetOf = (row: number): number => (flagsOf(row) & HIGH_MASK) * TWO_32 + commands.word(row, LOW);

  const lowOf = (offset: number): number => offset % TWO_32;
  const highOf = (offset: number): number => Math.floor(offset / TWO_32) | USED;

  /** The partner executed the command, whatever its final result says: its quote must not be sent again. */
  const markSpent = (print: Fingerprint): void => {
    const row = findRow(print);
    commands.setWord(row, HIGH, flagsOf(row) | SPENT);
    spend(wordAt(print, KEY_INDEX), wordAt(print, KEY_INDEX + 1));
  };

  return {
    look: (print: Fingerprint): Known => {
      const spent = isSpent(wordAt(print, KEY_INDEX), wordAt(print, KEY_INDEX + 1));
      const row = findRow(print);
      if (row < 0) return { final: null, spent, content: null };
      const flags = flagsOf(row);
      const final = { offset: offsetOf(row), succeeded: (flags & SUCCEEDED) !== 0 };
      return { final: (flags & FINAL) === 0 ? null : final, spent, content: commands.word(row, CONTENT) };
    },

    /** Whether the commandId has an entry under another key, or a final result there. */
    knowsElsewhere: (print: Fingerprint, what: "entry" | "final"): boolean => {
      for (let row = commands.first(wordAt(print, 0)); row >= 0; row = commands.next(row)) {
        const isElsewhere = agree(row, print, 1, KEY_INDEX) && !agree(row, print, KEY_INDEX, WORDS);
        if (isElsewhere && (what === "entry" || (flagsOf(row) & FINAL) !== 0)) return true;
      }
      return false;
    },

    /** The command has an entry under this key. The content of its first entry counts. */
    meet: (print: Fingerprint, { content, offset }: { content: number; offset: number }): void => {
      if (findRow(print) < 0) commands.add([...print, content, lowOf(offset), highOf(offset)]);
    },

    /** A command that `meet` has seen has its final result. */
    remember: (print: Fingerprint, { offset, succeeded }: Final): void => {
      const row = findRow(print);
      const flags = FINAL | (succeeded ? SUCCEEDED : 0) | (flagsOf(row) & SPENT);
      commands.setWord(row, LOW, lowOf(offset));
      commands.setWord(row, HIGH, highOf(offset) | flags);
      if (succeeded) markSpent(print);
    },
    markSpent,

    forgetBefore: (offset: number): void => {
      const { count } = commands;
      commands.keepOnly((row) => offsetOf(row) >= offset);
      if (commands.count === count) return;
      spentKeys.keepOnly(() => false);
      commands.forEach((row) => {
        if ((flagsOf(row) & SPENT) !== 0)
          spend(commands.word(row, KEY_INDEX), commands.word(row, KEY_INDEX + 1));
      });
    },

    get count(): number {
      return commands.count;
    },
    get bytes(): number {
      return commands.bytes + spentKeys.bytes;
    },
  };
};
