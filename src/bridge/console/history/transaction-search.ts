import type { PublishedStatus, TransactionHistory } from "../../../console/ports.ts";
import type { Incoming } from "../../../kafka/record.ts";
import { newPartitioner } from "../../../kafka/produce/partitioner.ts";
import type { Decode } from "../../../kafka/schema/codec.ts";
import { USUAL_STATUSES } from "../../../notification/statuses.ts";
import type { Direction, TransactionStatusUpdated } from "../../../records.ts";
import { iso } from "../../../runtime/instant.ts";
import { placeText } from "../../../runtime/record-position.ts";
import { truncate } from "../truncate.ts";
import { TRUNCATED } from "./command-notes.ts";
import { createCoverage, type SearchDeps } from "./coverage.ts";
import { rangesOf } from "../ranges.ts";
import type { Search } from "./searches.ts";
import { createTimeline, type TimelineEntry } from "./timeline.ts";
import { windowReader, windowsFrom } from "./time-windows.ts";

type StatusEvent = { seen: Omit<PublishedStatus, "place">; direction: Direction };
type ReadRecord = StatusEvent | { unreadable: string };

const MAX_NOTED = 20;
const MAX_STATUS_LENGTH = 256;

const eventOf = (event: TransactionStatusUpdated): StatusEvent => ({
  direction: event.direction,
  seen: {
    status: truncate(event.status, MAX_STATUS_LENGTH),
    stage: event.stage,
    occurredAtMs: event.occurredAt,
    receivedAtMs: event.receivedAt,
    source: event.source,
    outOfOrder: event.outOfOrder,
    eventId: event.eventId,
    payload: truncate(event.payload),
  },
});

/** Records with the same eventId are one event: the first one is shown. */
const summarize = (found: readonly TimelineEntry<ReadRecord>[]) => {
  const byId = new Map<string, { first: PublishedStatus; places: string[] }>();
  const directions: Direction[] = [];
  const notes: string[] = [];
  for (const { place, value } of found) {
    if ("unreadable" in value) {
      notes.push(`The record ${placeText(place.topic, place)} cannot be read: ${value.unreadable}.`);
      continue;
    }
    const { direction, seen } = value;
    directions.push(direction);
    const known = byId.get(seen.eventId);
    if (known) known.places.push(placeText(place.topic, place));
    else byId.set(seen.eventId, { first: { ...seen, place }, places: [placeText(place.topic, place)] });
  }
  for (const { first, places } of byId.values())
    if (places.length > 1)
      notes.push(
        `The event ${first.eventId} (${first.status}) stands ${places.length} times in the topic, at ${places.slice(0, 5).join(", ")}: it is one notification, and shown once.`,
      );
  if (directions.includes("INBOUND") && directions.includes("OUTBOUND"))
    notes.push("Its events name both directions. The last one that names any is shown.");
  const direction: Direction = directions.findLast((each) => each !== "UNKNOWN") ?? "UNKNOWN";
  return { statuses: [...byId.values()].map(({ first }) => first), direction, notes };
};

/** Searches all events of a transaction, which are in one partition. */
export const transactionSearch = (
  deps: SearchDeps & { decode: Decode<TransactionStatusUpdated> },
  transactionId: string,
  sinceMs: number | null,
): Search<TransactionHistory> => {
  const { config, services, cluster, decode } = deps;
  const topic = config.topics.transactionStatus;
  const key = Buffer.from(transactionId);
  const timeline = createTimeline<ReadRecord>();
  let partition: number | null = null;
  let isComplete = false;

  const note = async ({ timestampMs, offset, value, ...at }: Incoming): Promise<void> => {
    const decoded = value && (await decode(value));
    const read: ReadRecord = decoded?.ok
      ? eventOf(decoded.value)
      : { unreadable: decoded?.detail ?? "it has no value" };
    const length =
      "unreadable" in read ? read.unreadable.length : read.seen.payload.length + read.seen.status.length;
    const place = { topic, partition: at.partition, offset };
    timeline.add({ atMs: timestampMs, rank: 0, place, length, value: read });
  };
  const coverage = createCoverage(deps, (record) =>
    record.key?.equals(key) === true ? note(record) : undefined,
  );
  const windows = windowReader(coverage, windowsFrom(sinceMs, services.clock.now()));

  const reach = (): string[] => {
    const from = windows.sinceMs();
    if (partition === null) return [];
    const where = `All its events stand in ${topic}[${partition}]`;
    if (from === null) return [`${where}, which is being read.`];
    if (from === -Infinity)
      return [
        `${where}, which was read from its first record on. What is older than the topic keeps is gone.`,
      ];
    return [`${where}, which was read from ${iso(from)} on.`];
  };

  return {
    run: async (signal) => {
      const of = newPartitioner()(key, (await rangesOf(cluster, topic)).size);
      partition = of;
      await coverage.catchUp(signal);
      await windows.read(
        () => new Map([[topic, new Set([of])]]),
        () => false,
        signal,
      );
      isComplete = true;
    },
    snapshot: () => {
      const { statuses, direction, notes } = summarize(timeline.all());
      return {
        transactionId,
        direction,
        mainFlow: USUAL_STATUSES[direction],
        statuses,
        notes: [...reach(), ...notes.slice(0, MAX_NOTED), ...(timeline.isTruncated() ? [TRUNCATED] : [])],
        progress: {
          ...coverage.progress(),
          isComplete,
          sinceMs: coverage.displaySince(windows.sinceMs()),
          problem: null,
        },
      };
    },
  };
};
