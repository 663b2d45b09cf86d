import type { Config } from "../config/config.ts";
import { decoder } from "../kafka/schema/codec.ts";
import { headerValue } from "../kafka/headers.ts";
import type { Incoming } from "../kafka/record.ts";
import { readSchema } from "../kafka/schema/schemas.ts";
import { startTail, type Range } from "../kafka/consume/tail.ts";
import type { TransactionStatusUpdated } from "../records.ts";
import { eventWindow, type EventWindow } from "../webhooks-to-events/event-window.ts";
import type { Kit } from "./kit.ts";
import { ownRecords } from "./own-records.ts";

/** What this replica remembers of the events topic, its own records and those of others. */
export type Memory = {
  window: EventWindow;
  /** An event of this replica stands there: it need not be read back. */
  wrote: (place: { partition: number; offset: number }) => void;
  state: () => { up: boolean; detail: string };
  close: () => Promise<void>;
};

/** See the arithmetic in event-window.ts: two hours of ten million transactions a day. */
const MAX_BYTES = 72_000_000;
/** Own events are noted as they are published. What others published may be learned of a little later, in large bites: a fetch ends between two looks. */
const LOOK_EVERY_MS = 500;
/** A log does not get shorter. A broker that was just woken may say so for an instant; for so many looks only another topic of this name can. */
const SHORTER_LOOKS = 4;
const FETCH = { minBytes: 65_536, fetchWaitMs: 200 };
/** So long the start waits for the window to be read. Being late costs duplicates, and being unready costs deliveries. */
const READY_AFTER_MS = 15_000;

const idOf = ({ headers }: Incoming): string => headerValue(headers, "ce_id")?.toString() ?? "";

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
  const known = ownRecords();
  /** What there was when reading began. */
  let ends: ReadonlyMap<number, Range> = new Map();
  const startedAt = clock.monotonic();
  let shorter = 0;
  /** Partitions in focus. */
  let reading = new Set<number>();

  const noteAt =
    (timestampMs: number) =>
    (decoded: Awaited<ReturnType<typeof decode>>): void => {
      if (decoded.ok) window.note(decoded.value, timestampMs);
    };

  const take = (record: Incoming): boolean => {
    const { value, timestampMs } = record;
    known.read(record);
    // Decoding is most of the work, and the events of this replica are known already.
    if (value === null || window.seen(idOf(record), clock.now())) return true;
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

  /** Once caught up, partitions are read only where others have written. */
  const look = async (): Promise<void> => {
    if (!known.reaches(ends) || !tail.state().up) return;
    const before = known.reach();
    const ranges = await cluster.ranges(topic);
    const isShorter = [...before].some(([partition, next]) => (ranges.get(partition)?.endOffset ?? 0) < next);
    shorter = isShorter ? shorter + 1 : 0;
    if (shorter < SHORTER_LOOKS) {
      const unknown = known.unknown(ranges);
      // To focus throws away the fetch under way: what is being read is left alone, or it might never get to its end.
      if (unknown.size > 0 && [...unknown.keys()].every((partition) => reading.has(partition))) return;
      reading = new Set(unknown.keys());
      tail.focus(unknown);
    } else {
      shorter = 0;
      log.warn({ topic }, "events.topic.replaced");
      tail.restart();
    }
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
      const caughtUp = tail.state().up && known.reaches(ends);
      const waited = clock.monotonic() - startedAt > READY_AFTER_MS;
      return { up: caughtUp || waited, detail: caughtUp ? "caught up" : tail.state().detail };
    },
    close: async () => {
      clearInterval(looks);
      await Promise.all([tail.stop(), cluster.close()]);
    },
  };
};
