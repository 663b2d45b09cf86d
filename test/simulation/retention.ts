import type { Clock } from "../../src/runtime/clock.ts";
import type { View } from "../../src/commands-to-results/accept-once/view.ts";
import { NO_HEADERS } from "../../src/kafka/headers.ts";
import { EPOCH_MS } from "./clock.ts";
import type { CodeUnderTest } from "./code-under-test.ts";

/** The life of a quote, for which nothing may be forgotten: a day there, here longer than a schedule sends commands. */
const DAY_MS = 45_000;
const SCALE = 86_400_000 / DAY_MS;

type Range = { startOffset: number; endOffset: number };
export type TopicState = { ranges: () => ReadonlyMap<number, Range>; isKeptTooShortly: () => boolean };
export type RetentionWatch = ReturnType<typeof watchRetention>;

const ignore = (): void => undefined;
const log = { trace: ignore, debug: ignore, info: ignore, warn: ignore, error: ignore, fatal: ignore };

/** The bridge's own watch over the journal. A day of it takes 45 s, by its clock and by the times of entries. */
export const watchRetention = (
  code: Pick<CodeUnderTest, "watchJournal">,
  {
    clock,
    view,
    topic,
    fits,
  }: { clock: Clock; view: View; topic: TopicState; fits: (isFit: boolean) => void },
) => {
  const scaled = (ms: number): number => EPOCH_MS + (ms - EPOCH_MS) * SCALE;
  const watch = code.watchJournal(
    {
      topic: "journal",
      view,
      notes: () => Promise.resolve([]),
      ranges: () => Promise.resolve({ ranges: topic.ranges(), missing: new Set() }),
      partitions: topic.ranges().size,
      problems: () => Promise.resolve(topic.isKeptTooShortly() ? ["The journal is kept too shortly."] : []),
      partitionOf: () => 0,
      mayBeginChanged: () => fits(watch.mayBegin()),
    },
    { clock: { ...clock, now: () => scaled(clock.now()), monotonic: () => clock.monotonic() * SCALE }, log },
  );
  // The group knows how many partitions there are: an earlier replica has committed it.
  watch.compare([`partitions:${topic.ranges().size}`]);
  const incoming = (record: { partition: number; offset: number; timestampMs: number }) => ({
    ...{ topic: "journal", key: null, value: null, headers: NO_HEADERS },
    ...{ partition: record.partition, offset: record.offset, timestampMs: scaled(record.timestampMs) },
  });
  return {
    begin: () => watch.begin(topic.ranges(), topic.ranges().size),
    isOurs: (record: Parameters<typeof incoming>[0]) => watch.isOurs(incoming(record)),
    learn: (record: Parameters<typeof incoming>[0]) => watch.learn(incoming(record)),
  };
};
