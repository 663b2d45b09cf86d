import type { Cluster } from "../../../kafka/cluster/cluster.ts";
import { journalProblems } from "../../../kafka/cluster/inspect.ts";
import { decoder, encoder } from "../../../kafka/schema/codec.ts";
import { isRefused } from "../../../kafka/produce/publish-error.ts";
import { newPartitioner } from "../../../kafka/produce/partitioner.ts";
import { createReread } from "../../../kafka/consume/reread.ts";
import type { Incoming } from "../../../kafka/record.ts";
import type { Registry } from "../../../kafka/schema/registry.ts";
import { RegistryError } from "../../../kafka/schema/registry-http.ts";
import { readSchema, withoutFields } from "../../../kafka/schema/schemas.ts";
import { startTail } from "../../../kafka/consume/tail.ts";
import { readJournalRecord, toRecord, FIELDS_NOT_FOLDED, type Entry, type JournalRecord } from "../entry.ts";
import type { Contradicted } from "../partition-view.ts";
import { EntryRefused } from "../kafka-retry.ts";
import type { Journal } from "../ports.ts";
import { createView } from "../view.ts";
import type { CommandJournalEntry } from "../../../records.ts";
import { messageOf } from "../../../runtime/errors.ts";
import { isUp, type Health } from "../../../runtime/health.ts";
import type { RecordPosition } from "../../../runtime/record-position.ts";
import type { Services } from "../../../kafka/wire/services.ts";
import { watchJournal } from "./watch.ts";

export type JournalRoom = Awaited<ReturnType<typeof openJournal>>;

const APPEND_TIMEOUT_MS = 15_000;
const SEND_TIMEOUT_MS = 8_000;
/** Entries of other replicas are read together; what this one has appended is read at once. */
const PACE_MS = 20;

type JournalHooks = {
  /** Asks for the notes in the group's commits. Nothing is read, and the view is not ready, before it has answered. */
  askNotes: (cluster: Cluster) => Promise<readonly string[]>;
  see?: (record: JournalRecord) => void;
  contradicted?: (contradiction: Contradicted) => void;
  mayBeginChanged?: () => void;
};

/** Starts reading the journal from its first record. Rejects when the cluster cannot be asked. */
export const openJournal = async (services: Services, schemaId: number, hooks: JournalHooks) => {
  const { config, clock, log } = services;
  const topic = config.topics.journal;
  const schema = readSchema("command-journal-entry");
  const encode = encoder<CommandJournalEntry>(schema, schemaId);
  // An entry is never passed over: a schema that the registry does not know yet is waited for.
  const registry: Pick<Registry, "writer"> = {
    writer: async (id) => {
      const writer = await services.registry.writer(id);
      if (writer === null)
        throw new RegistryError(`the schema registry does not know schema ${id} of ${topic}`);
      return writer;
    },
  };
  const decodeWhole = decoder<CommandJournalEntry>(schema, { registry, clock }, { ownId: schemaId });
  const decodeFolded = decoder<CommandJournalEntry>(
    schema,
    { registry, clock },
    { ownId: schemaId, readType: withoutFields(schema, FIELDS_NOT_FOLDED).type },
  );
  const cluster = await services.connectCluster();
  const { ranges, missing } = await cluster.ranges(topic);
  const partitions = ranges.size + missing.size;
  const choose = newPartitioner();
  const partitionOf = (key: string): number => choose(Buffer.from(key), partitions);
  const view = createView({ partitions, partitionOf, contradicted: hooks.contradicted });
  const watch = watchJournal(
    {
      topic,
      view,
      partitions,
      notes: () => hooks.askNotes(cluster),
      problems: async () =>
        journalProblems(config.topics, await cluster.find([topic, config.topics.commands])),
      partitionOf: (key) => choose(key, partitions),
      mayBeginChanged: () => hooks.mayBeginChanged?.(),
      ranges: () => cluster.ranges(topic),
    },
    services,
  );

  let unreadable: Health | null = null;
  let schemaFault: unknown = null;
  const entryOf = (record: Incoming, decode = decodeWhole): Entry | null | "not yet" => {
    const { partition, offset, timestampMs, key, value } = record;
    const refuse = (cause: string): null => {
      log.error({ topic, partition, offset, detail: cause }, "journal.unreadable");
      unreadable = { kind: "halted", topic, partition, offset, cause };
      return null;
    };
    if (value === null || key === null) return refuse("no key or value");
    const decoded = decode(value);
    if (decoded instanceof Promise) {
      decoded.catch((error: unknown) => {
        schemaFault = error;
        log.warn({ topic, partition, offset, reason: messageOf(error) }, "journal.schema.waiting");
      });
      return "not yet";
    }
    if (!decoded.ok) return refuse(decoded.detail);
    const ageMs = clock.now() - timestampMs;
    return (
      readJournalRecord(decoded.value, { key: key.toString("utf8"), ageMs }) ??
      refuse('another version of the bridge wrote it: see "Upgrading" in docs/setup.md')
    );
  };

  const { reread: readRecord, stop: stopReread } = createReread(topic, services);
  const reread = async ({ partition, offset }: RecordPosition): Promise<Entry | null> => {
    const record = await readRecord(partition, offset);
    const entry = record && entryOf(record);
    if (entry !== null && entry !== "not yet") return entry;
    // Only the log itself can say that it begins later.
    const { ranges } = await cluster.ranges(topic);
    if (record === null && (ranges.get(partition)?.startOffset ?? 0) > offset) return null;
    throw new Error(`entry ${partition}/${offset} is in the journal and cannot be read now`);
  };

  const take = (record: Incoming): boolean | "later" => {
    if (!watch.isOurs(record)) return true;
    const entry = entryOf(record, decodeFolded);
    if (entry === "not yet") return "later";
    schemaFault = null;
    const { partition, offset, timestampMs, key } = record;
    const journalRecord = { partition, offset, timestampMs, key: key?.toString("utf8") ?? "", entry };
    const outcome = view.take(journalRecord);
    if (outcome === "folded") {
      watch.learn(record);
      hooks.see?.(journalRecord);
    }
    return outcome !== "gap";
  };

  const publisher = services.publisher(topic, {
    maxWaiting: 20_000,
    maxWaitingBytes: 64 * 1_048_576,
    sendTimeoutMs: SEND_TIMEOUT_MS,
  });
  const tail = startTail(
    { topic, paceMs: PACE_MS },
    {
      begin: (ranges, count) => {
        watch.begin(ranges, count);
        // Partitions beyond the known number belong to another log: their records are not read.
        return new Map([...ranges].filter(([partition]) => partition < partitions));
      },
      take,
      absent: view.pass,
    },
    { ...services, ranges: watch.ranges },
  );

  const journal: Journal = {
    append: async ({ key, operation, commandId }, step) => {
      const value = encode(toRecord({ operation, commandId, step }));
      const record = { key: Buffer.from(key), value, headers: [] };
      const appended = watch.appending(choose(record.key, partitions));
      const written = await publisher.publish(record, APPEND_TIMEOUT_MS).catch((error: unknown) => {
        throw isRefused(error) ? new EntryRefused(messageOf(error), { cause: error }) : error;
      });
      appended(written);
      tail.awaitRecord(written);
      return written;
    },
    reread,
  };

  const health = (): Health => {
    const fault = view.halted() ? unreadable : watch.fault();
    if (fault !== null) return fault;
    const unread = tail.unreadHealth(view.unread());
    if (unread !== null && schemaFault === null) return unread;
    const followed = tail.health();
    if (!isUp(followed)) return followed;
    if (view.ready()) {
      const writing = publisher.health();
      return writing.kind === "up" ? followed : writing;
    }
    return schemaFault === null
      ? { kind: "reading", left: view.left() }
      : { kind: "schemaUnknown", cause: messageOf(schemaFault) };
  };

  return {
    view,
    journal,
    health,
    mayBegin: watch.mayBegin,
    counting: { compareNotes: watch.compare, committed: watch.committed },
    note: watch.note,
    waiting: () => publisher.waiting(),
    close: async (): Promise<void> => {
      watch.stop();
      await Promise.all([publisher.close(0), tail.stop(), stopReread(), cluster.close()]);
    },
  };
};
