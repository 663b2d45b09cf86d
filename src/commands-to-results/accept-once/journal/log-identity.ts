import type { Ranges } from "../../../kafka/ranges.ts";
import type { RecordPosition } from "../../../runtime/record-position.ts";
import { readMark, writeMark, type Mark } from "../../../kafka/mark.ts";

type Read = RecordPosition & { timestampMs: number };

/** Below Kafka's default limit of 4,096 (offset.metadata.max.bytes). */
const MAX_NOTE_LENGTH = 3_500;
/** Marks per partition, spread over the horizon: a log that loses records too early loses one of them. */
const MARKS = 4;

/** A quote lives for one business day: the loss of older entries does no harm. Retention deletes no younger ones. */
const HORIZON_MS = 86_400_000;
const SPACING_MS = HORIZON_MS / MARKS;

/** Recognises the journal by marks: it may be another log, or have lost records. Problems go on after "the log". */
export const journalIdentity = ({ now }: { now: () => number }) => {
  const marksOf = new Map<number, { last: Mark; marks: Mark[] }>();
  // A record within the horizon may stand that long after the mark before it: that one must still count.
  const isYoung = ({ timestampMs }: Mark): boolean => now() - timestampMs < HORIZON_MS + SPACING_MS;

  const addMark = (partition: number, mark: Mark): void => {
    const { last, marks } = marksOf.get(partition) ?? { last: mark, marks: [] };
    const isLast = mark.offset > last.offset;
    marksOf.set(partition, { last: isLast ? mark : last, marks: [...marks, mark] });
  };
  /** When the closest mark at or before an offset was written; 0 for none. A log may be read again. */
  const markedMs = (marks: readonly Mark[], offset: number): number =>
    marks.reduce((ms, mark) => (mark.offset <= offset ? Math.max(ms, mark.timestampMs) : ms), 0);

  return {
    recall: (note: string): void => {
      for (const entry of note.split(" ")) {
        const [name = "", texts = ""] = entry.split(":");
        const marks = /^\d+$/.test(name) ? texts.split(",").map(readMark) : [];
        for (const mark of marks) if (mark) addMark(Number(name), mark);
      }
    },

    note: (): string => {
      let text = "";
      for (const [partition, { last, marks }] of marksOf) {
        const oldest = marks.filter(isYoung).sort((a, b) => a.offset - b.offset)[0];
        const bounds = oldest && oldest.offset < last.offset ? [oldest, last] : [last];
        const entry = `${partition}:${bounds.map(writeMark).join(",")}`;
        if (text.length + entry.length < MAX_NOTE_LENGTH) text += text === "" ? entry : ` ${entry}`;
      }
      return text;
    },

    learn: ({ partition, offset, timestampMs }: Read): void => {
      const ofPartition = marksOf.get(partition);
      const mark = { offset, timestampMs };
      if (!ofPartition) addMark(partition, mark);
      else {
        if (offset > ofPartition.last.offset) ofPartition.last = mark;
        if (timestampMs - markedMs(ofPartition.marks, offset) < SPACING_MS) return;
        ofPartition.marks = [...ofPartition.marks.filter(isYoung), mark];
      }
    },

    /** The offset after the last known record. In the same log, later records have higher offsets. */
    reach: (partition: number): number => (marksOf.get(partition)?.last.offset ?? -1) + 1,

    /** Says that another record was at this record's offset; null when not. */
    contradiction: ({ partition, offset, timestampMs }: Read): string | null => {
      const ofPartition = marksOf.get(partition);
      if (!ofPartition || offset > ofPartition.last.offset) return null;
      const differs = (mark: Mark): boolean => mark.offset === offset && mark.timestampMs !== timestampMs;
      return differs(ofPartition.last) || ofPartition.marks.some(differs)
        ? `holds another record at offset ${offset} of partition ${partition} than before`
        : null;
    },

    /** Says that a record before the log's start is gone that retention cannot have deleted yet; null if none is. */
    dropped: (ranges: Ranges): string | null => {
      for (const [partition, { last, marks }] of marksOf) {
        const startOffset = ranges.get(partition)?.startOffset ?? 0;
        const gone = [last, ...marks].find((mark) => mark.offset < startOffset && isYoung(mark));
        if (!gone) continue;
        const seconds = Math.round((now() - gone.timestampMs) / 1_000);
        return `has dropped offset ${gone.offset} of partition ${partition}, which was ${seconds} s old`;
      }
      return null;
    },

    lasts: (): ReadonlyMap<number, number> =>
      new Map([...marksOf].map(([partition, { last }]) => [partition, last.offset])),

    /** @param lasts from before the ranges were requested */
    missing: (ranges: Ranges, lasts: ReadonlyMap<number, number>): string | null => {
      for (const [partition, offset] of lasts)
        if ((ranges.get(partition)?.endOffset ?? 0) <= offset)
          return `ends before offset ${offset} of partition ${partition}, which was read from it`;
      return null;
    },
  };
};
