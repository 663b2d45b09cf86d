import type { Planned } from "./plan.ts";

/** A batch is claimed in one audit entry, and held in memory while it is sent. */
const MAX_LETTERS = 100;
const MAX_BYTES = 16 * 1_048_576;
/** Must be well below the claim's lease. */
const MAX_SECONDS = 15;

/** The next letters for one topic, in order; at least one. */
export const nextBatch = (queue: readonly Planned[], ratePerSecond: number): readonly Planned[] => {
  const [first] = queue;
  const atMost = Math.max(1, Math.min(MAX_LETTERS, Math.floor(ratePerSecond * MAX_SECONDS)));
  let bytes = 0;
  let count = 0;
  for (const { letter, topic } of queue.slice(0, atMost)) {
    bytes += letter.bytes;
    if (topic !== first?.topic || (count > 0 && bytes > MAX_BYTES)) break;
    count += 1;
  }
  return queue.slice(0, count);
};
