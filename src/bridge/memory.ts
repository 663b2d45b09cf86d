import type { Config } from "../config/config.ts";
import { decoder } from "../kafka/schema/codec.ts";
import type { Incoming } from "../kafka/record.ts";
import { readSchema } from "../kafka/schema/schemas.ts";
import { startTail, type Range } from "../kafka/consume/tail.ts";
import { eventWindow, type EventWindow } from "../notification/event-window.ts";
import { identityOf } from "../notification/identity.ts";
import type { TransactionStatusUpdated } from "../records.ts";
import type { Kit } from "./kit.ts";
import { knownOffsets } from "./known-offsets.ts";

/** What this replica remembers of the events topic, its own records and those of others. */
export type Memory = {
  window: EventWindow;
  /** To be told of each event that this replica has published: it is not read back. */
  wrote: (place: { partition: number; offset: number }) => void;
  state: () => { up: boolean; detail: string };
  close: () => Promise<void>;
};

/** See the arithmetic in event-window.ts: two hours of ten million transactions a day. */
const MAX_BYTES = 72_000_000;
const LOOK_EVERY_MS = 500;
/** A log that is shorter than it was in so many looks in a row is another topic of this name. A broker that was frozen may report an old end for a moment. */
const SHORTER_LOOKS = 4;
/** What others publish may be learned of a little later, in large fetches; a fetch ends between two looks. */
const FETCH = { minBytes: 65_536, fetchWaitMs: 200 };
/** So long the start waits for the window to be read. Being late costs duplicates, and being unready costs deliveries. */
const READY_AFTER_MS = 15_000;

/** Follows the events topic from the beginning of the window. Rejects when the cluster cannot be asked. */
export const openMemory = async (config: Config, kit: Kit, schemaId: number): Promise<Memory> => {
  const { clock, log } = kit;
  const windowMs = config.webhook.dedupWindowMs;
  const topic = config.topics.transactionStatus;
  const window = eventWindow({ windowMs, maxBytes: MAX_BYTES });
  const decode = decoder<TransactionStatusUpdated>(
    readSchema("transaction-status-updated"),
    kit.registry,
    clock.now,
    schemaId,
  );
  const cluster = await kit.connectCluster();
  const known = knownOffsets();
  /** What there was when reading began. */
  let ends: ReadonlyMap<number, Range> = new Map();
  const startedAt = clock.monotonic();
  let shorter = 0;
  /** Partitions that are being read. */
  let reading = new Set<number>();

  const noteAt =
    (timestampMs: number) =>
    (decoded: Awaited<ReturnType<typeof decode>>): void => {
      if (decoded.ok) window.note(identityOf(decoded.value), decoded.value, timestampMs);
    };

  const take = (record: Incoming): boolean => {
    const { value, timestampMs } = record;
    known.read(record);
    if (value === null) return true;
    const decoded = decode(value);
    if (decoded instanceof Promise) void decoded.then(noteAt(timestampMs), () => undefined);
    else noteAt(timestampMs)(decoded);
    return true;
  };

  const tail = startTail(
    { topic, groupId: kit.ownGroup("events"), sessionTimeoutMs: config.kafka.sessionTimeoutMs, ...FETCH },
    {
      begin: (ranges) => {
        reading.clear();
        known.begin(ranges);
        ends = ranges;
      },
      position: known.next,
      take,
    },
    { ...kit, ranges: () => cluster.ranges(topic, clock.now() - windowMs) },
  );

  const isCaughtUp = (): boolean => tail.state().up && known.unknown(ends).size === 0;

  /** Once caught up, partitions are read only where others have written. */
  const look = async (): Promise<void> => {
    if (!isCaughtUp()) return;
    const before = known.all();
    const ranges = await cluster.ranges(topic);
    const isShorter = [...before].some(([partition, next]) => (ranges.get(partition)?.endOffset ?? 0) < next);
    shorter = isShorter ? shorter + 1 : 0;
    if (shorter === SHORTER_LOOKS) {
      shorter = 0;
      log.warn({ topic }, "events.topic.replaced");
      tail.restart();
      return;
    }
    const unknown = known.unknown(ranges);
    // Focusing throws away the fetch under way: what is being read is left alone, or it might never get to its end.
    if (unknown.size > 0 && [...unknown.keys()].every((partition) => reading.has(partition))) return;
    reading = new Set(unknown.keys());
    tail.focus(unknown);
  };
  let looking = false;
  const looks = setInterval(() => {
    if (looking) return;
    looking = true;
    void look()
      .catch(() => undefined)
      .finally(() => (looking = false));
  }, LOOK_EVERY_MS);

  return {
    window,
    wrote: known.wrote,
    state: () => {
      const caughtUp = isCaughtUp();
      const waited = clock.monotonic() - startedAt > READY_AFTER_MS;
      return { up: caughtUp || waited, detail: caughtUp ? "caught up" : tail.state().detail };
    },
    close: async () => {
      clearInterval(looks);
      await Promise.all([tail.stop(), cluster.close()]);
    },
  };
};
