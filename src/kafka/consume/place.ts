import type { Lack } from "../../runtime/health.ts";
import type { Mark } from "../mark.ts";
import type { Incoming } from "../record.ts";
import type { Fetched, LogClient } from "./log-client.ts";

/** Reading cannot go on where it stopped: the log is another one, or records are missing. */
export class PlaceLost extends Error {
  override readonly name = "PlaceLost";

  readonly partition: number;

  constructor(partition: number, message: string) {
    super(message);
    this.partition = partition;
  }
}

export type LogHooks = {
  /** Takes a partition's records in order. False ends reading: a record is missing before it. `later`: try again. */
  take: (record: Incoming) => boolean | "later" | Promise<boolean>;
  /** From `from` to before `next` stand transaction markers and aborted records. Compacted records are not reported. */
  absent?: ((partition: number, from: number, next: number) => void) | undefined;
  /** Everything before this offset was read, including offsets without a record. */
  reached?: ((partition: number, next: number) => void) | undefined;
  /** Nothing more is read of this partition until it is added again. Without this hook, reading ends for all. */
  lost?: ((partition: number) => void) | undefined;
};

/** Reads partitions of one leader; those that stand at a batch that cannot be read over a connection of their own. */
export type Reader = { client: LogClient; leader: number; isForUnreadable: boolean };

/** How far a partition was read. `last`: the last record that was taken, or that was read before. */
export const newPlace = (next: number, end: number, last: Mark | null) => ({
  next,
  end,
  last,
  /** The broker refused the offset of `last`, as it does where retention has deleted it: `next` is read instead. */
  isLastGone: false,
  /** Reading went on without a pause since `last`: only then it need not be read again. */
  isSettled: false,
  isWanted: true,
  reader: null as Reader | null,
  /** When its leader answered last, in monotonic milliseconds. */
  answeredAt: 0,
  /** Why it is not read; null while it is. */
  lack: { kind: "failing", cause: "not connected yet" } as Lack | null,
  /** Whether the partition itself was in trouble at any time since it was first added. */
  wasApart: false,
  /** The last record that somebody waits for. */
  awaited: -1,
  /** How often in a row it could not be read. */
  failures: 0,
  /** How often in a row the next record could not be taken yet. */
  tries: 0,
  /** It is left alone for a while, after a failure or because a record could not be taken. */
  isPaused: false,
  /** How often in a row the broker said that the log does not reach so far. */
  outOfRange: 0,
});

export type Place = ReturnType<typeof newPlace>;

export const isDone = ({ next, end }: Place): boolean => next >= end;

export const isUnreadable = ({ lack }: Place): boolean => lack?.kind === "unreadableBatch";

/** The last record is read once more, to check that the log is still the same. */
export const positionOf = ({ isSettled, last, isLastGone, next }: Place): number =>
  isSettled || isLastGone ? next : (last?.offset ?? next);

const isRecord = (record: Fetched["records"][number] | undefined, { offset, timestampMs }: Mark): boolean =>
  record?.offset === offset && "timestampMs" in record && record.timestampMs === timestampMs;

/** Checks that a fetch goes on with the same log. False if `last` must be read again first. @throws PlaceLost */
const settle = (place: Place, { partition, from, next, startOffset, records: [first] }: Fetched): boolean => {
  place.outOfRange = 0;
  const { last, isSettled, isLastGone } = place;
  if (last && !isSettled && isLastGone && startOffset <= last.offset) {
    place.isLastGone = false;
    return false;
  }
  if (isSettled || (next === from && !isLastGone)) return true;
  if (last && !isLastGone && !isRecord(first, last))
    throw new PlaceLost(partition, `it is another log than before: another record is at ${last.offset} now`);
  place.isSettled = true;
  return true;
};

/** Gives the records of a fetch to the hooks, until reading is over. @throws PlaceLost */
export const takeFetched = async (
  place: Place,
  fetched: Fetched,
  hooks: LogHooks,
  isReading: () => boolean,
): Promise<"all" | "later"> => {
  const { partition, records } = fetched;
  const before = place.next;
  if (!settle(place, fetched)) return "all";
  for (const record of records) {
    const { offset } = record;
    if (offset < place.next) continue;
    if (offset >= place.end) break;
    if ("isHidden" in record) {
      place.next = offset + 1;
      hooks.absent?.(partition, offset, offset + 1);
      continue;
    }
    const { timestampMs } = record;
    const { last, isLastGone } = place;
    // Advanced first: if the connection is replaced while it is taken, reading goes on after this record.
    Object.assign(place, { next: offset + 1, last: { offset, timestampMs }, isLastGone: false });
    const answer = hooks.take(record);
    const outcome = answer instanceof Promise ? await answer : answer;
    if (outcome === "later") {
      Object.assign(place, { next: offset, last, isLastGone });
      return "later";
    }
    if (!outcome) throw new PlaceLost(partition, `offset ${offset} does not follow what was read before`);
    place.tries = 0;
    if (!isReading()) return "all";
  }
  place.next = Math.max(place.next, fetched.next);
  if (place.next > before) hooks.reached?.(partition, place.next);
  return "all";
};
