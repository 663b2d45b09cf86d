import type { Config } from "../config/config.ts";
import { decoder, encoder } from "../kafka/codec.ts";
import { choosePartition } from "../kafka/partition.ts";
import { createReread } from "../kafka/reread.ts";
import type { Incoming } from "../kafka/record.ts";
import { readSchema } from "../kafka/schemas.ts";
import { startTail } from "../kafka/tail.ts";
import {
  fromRecord,
  toRecord,
  type Entry,
  type JournalRecord,
} from "../commands-to-results/journal/entry.ts";
import type { Journal } from "../commands-to-results/journal/ports.ts";
import { createView, type View } from "../commands-to-results/journal/view.ts";
import type { CommandJournalEntry } from "../records.ts";
import type { Kit } from "./kit.ts";
import { recentEntries } from "./recent-entries.ts";
import { rereadEntry } from "./reread-entry.ts";

/** The journal, and this replica's view of it. */
export type JournalRoom = {
  journal: Journal;
  view: View;
  state: () => { up: boolean; detail: string };
  waiting: () => number;
  stop: (drainMs: number) => Promise<void>;
};

const APPEND_TIMEOUT_MS = 15_000;
const SEND_TIMEOUT_MS = 8_000;
/** How often the view is told what the log has deleted. */
const FORGET_EVERY_MS = 600_000;

/**
 * Starts reading the journal from its first record. Rejects when the cluster cannot be asked.
 * @param watch sees every record that the view takes
 */
export const openJournal = async (
  config: Config,
  kit: Kit,
  schemaId: number,
  watch: (record: JournalRecord) => void = () => undefined,
): Promise<JournalRoom> => {
  const { clock, log } = kit;
  const topic = config.topics.journal;
  const schema = readSchema("command-journal-entry");
  const encode = encoder<CommandJournalEntry>(schema, schemaId);
  const decode = decoder<CommandJournalEntry>(schema, kit.registry, clock.now, schemaId);
  const cluster = await kit.connectCluster();
  const partitions = (await cluster.ranges(topic)).size;
  const choose = choosePartition();
  const view = createView({ partitions, partitionOf: (key) => choose(Buffer.from(key), partitions) });
  const recent = recentEntries();

  const entryOf = ({ partition, offset, key, value }: Incoming): Entry | null | "not yet" => {
    const decoded = value === null || key === null ? null : decode(value);
    // The schema is asked for now; the tail starts over, and finds it known.
    if (decoded instanceof Promise) return "not yet";
    if (decoded?.ok) return fromRecord(decoded.value);
    log.error(
      { topic, partition, offset, detail: decoded?.detail ?? "no key or value" },
      "journal.unreadable",
    );
    return null;
  };

  const take = (record: Incoming): boolean => {
    const entry = entryOf(record);
    if (entry === "not yet") return false;
    const { partition, offset, timestampMs } = record;
    const taken = { partition, offset, timestampMs, key: record.key?.toString("utf8") ?? "", entry };
    const outcome = view.take(taken);
    if (outcome === "folded") {
      watch(taken);
      if (entry) recent.keep(taken, entry);
    }
    return outcome !== "gap";
  };

  const publisher = kit.publisher(topic, {
    maxWaiting: 20_000,
    maxWaitingBytes: 64 * 1_048_576,
    sendTimeoutMs: SEND_TIMEOUT_MS,
  });
  const readerOptions = { topic, sessionTimeoutMs: config.kafka.sessionTimeoutMs };
  const tail = startTail(
    { ...readerOptions, groupId: kit.ownGroup("journal") },
    {
      begin: (ranges) => {
        for (const [partition, range] of ranges) view.begin(partition, range);
      },
      position: view.nextOffset,
      take,
    },
    { ...kit, ranges: () => cluster.ranges(topic) },
  );
  const { reread, stop: stopReread } = createReread(
    { ...readerOptions, groupId: kit.ownGroup("reread") },
    kit,
  );

  const again = rereadEntry({
    reread,
    entryOf,
    startOf: async (partition) => (await cluster.ranges(topic)).get(partition)?.startOffset ?? 0,
  });

  const forget = setInterval(() => {
    void cluster
      .ranges(topic)
      .then((ranges) => {
        for (const [partition, { startOffset }] of ranges)
          view.forgetBefore({ partition, offset: startOffset });
      })
      .catch(() => undefined);
  }, FORGET_EVERY_MS);

  return {
    view,
    journal: {
      append: (key, entry) =>
        publisher.publish(
          { key: Buffer.from(key), value: encode(toRecord(entry)), headers: {} },
          APPEND_TIMEOUT_MS,
        ),
      reread: async (position) => {
        const kept = recent.find(position);
        if (kept) return kept;
        return again(position);
      },
    },
    state: () => {
      if (view.halted()) return { up: false, detail: "holds an entry that this version cannot read" };
      if (!tail.state().up) return tail.state();
      return view.ready() ? publisher.state() : { up: false, detail: "still reading" };
    },
    waiting: () => publisher.state().waiting,
    stop: async (drainMs) => {
      clearInterval(forget);
      await publisher.close(drainMs);
      await Promise.all([tail.stop(), stopReread(), cluster.close()]);
    },
  };
};
