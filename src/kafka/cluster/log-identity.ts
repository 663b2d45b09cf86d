import type { Range } from "../consume/tail.ts";
import { readMark, writeMark, type Mark } from "../mark.ts";

type Place = { partition: number; offset: number };
type Known = { last: Mark; marks: Mark[] };

export type Dropped = Place & { ageMs: number };

/** Knows a log again, from a few of the records that it held. What it finds wrong it says in a sentence's end: "ends before ...". */
export type LogIdentity = {
  /** Takes over what `note` of another process said of the same log. */
  recall: (note: string) => void;
  /** What is known, in a few bytes for each partition. */
  note: () => string;
  /** A record was read and is the next one of this log. */
  learn: (record: Place & { timestampMs: number }) => void;
  /** The offset behind the last record known. No record that is written from now on may stand before it. */
  reach: (partition: number) => number;
  /** What is wrong with a record: another one stood in its place. */
  contradiction: (record: Place & { timestampMs: number }) => string | null;
  /** The youngest record known that is too young to be gone by itself, and is before the start of this log. */
  dropped: (ranges: ReadonlyMap<number, Range>) => Dropped | null;
  /** The last record of each partition, for `missing`. */
  lasts: () => ReadonlyMap<number, number>;
  /** What is behind the end of this log, of the last records that were known before its end was asked for. */
  missing: (ranges: ReadonlyMap<number, Range>, lasts: ReadonlyMap<number, number>) => string | null;
};

/** Of Kafka's default of 4,096 for the text beside a committed offset. */
const MAX_NOTE_LENGTH = 3_500;
/** Marks of a partition, spread over the horizon: a log that is cut at its beginning is seen by the one that is gone. */
const MARKS = 4;

/** @param horizonMs the log drops by itself no record that is younger, as far as is known now */
export const createLogIdentity = (options: { horizonMs: () => number; now: () => number }): LogIdentity => {
  const { horizonMs, now } = options;
  const known = new Map<number, Known>();
  const isYoung = ({ timestampMs }: Mark): boolean => now() - timestampMs < horizonMs();

  const addMark = (partition: number, mark: Mark): void => {
    const found = known.get(partition);
    if (!found) known.set(partition, { last: mark, marks: [mark] });
    else {
      if (mark.offset > found.last.offset) found.last = mark;
      found.marks.push(mark);
    }
  };

  return {
    recall: (note) => {
      for (const entry of note.split(" ")) {
        const [name = "", marks = ""] = entry.split(":");
        for (const text of marks.split(",")) {
          const mark = readMark(text);
          if (mark && /^\d+$/.test(name)) addMark(Number(name), mark);
        }
      }
    },

    note: () => {
      let text = "";
      for (const [partition, { last, marks }] of known) {
        const oldest = marks.filter(isYoung).sort((a, b) => a.offset - b.offset)[0];
        const both = oldest && oldest.offset < last.offset ? [oldest, last] : [last];
        const entry = `${partition}:${both.map(writeMark).join(",")}`;
        if (text.length + entry.length < MAX_NOTE_LENGTH) text += text === "" ? entry : ` ${entry}`;
      }
      return text;
    },

    learn: ({ partition, offset, timestampMs }) => {
      const found = known.get(partition);
      const mark = { offset, timestampMs };
      if (!found) addMark(partition, mark);
      else if (offset > found.last.offset) {
        found.last = mark;
        if (timestampMs - (found.marks.at(-1)?.timestampMs ?? 0) < horizonMs() / MARKS) return;
        found.marks = [...found.marks.filter(isYoung), mark];
      }
    },

    reach: (partition) => (known.get(partition)?.last.offset ?? -1) + 1,

    contradiction: ({ partition, offset, timestampMs }) => {
      const found = known.get(partition);
      if (!found || offset > found.last.offset) return null;
      const differs = (mark: Mark): boolean => mark.offset === offset && mark.timestampMs !== timestampMs;
      return differs(found.last) || found.marks.some(differs)
        ? `holds another record at offset ${offset} of partition ${partition} than it did`
        : null;
    },

    dropped: (ranges) => {
      let youngest: Dropped | null = null;
      for (const [partition, { last, marks }] of known) {
        const startOffset = ranges.get(partition)?.startOffset ?? 0;
        for (const mark of [last, ...marks]) {
          const ageMs = now() - mark.timestampMs;
          if (mark.offset < startOffset && isYoung(mark) && ageMs < (youngest?.ageMs ?? Infinity))
            youngest = { partition, offset: mark.offset, ageMs };
        }
      }
      return youngest;
    },

    lasts: () => new Map([...known].map(([partition, { last }]) => [partition, last.offset])),

    missing: (ranges, lasts) => {
      for (const [partition, offset] of lasts)
        if ((ranges.get(partition)?.endOffset ?? 0) <= offset)
          return `ends before offset ${offset} of partition ${partition}, which was read from it`;
      return null;
    },
  };
};
