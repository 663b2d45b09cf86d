import { expect, test } from "vitest";
import { withoutAborted } from "../../../../src/kafka/kafkajs-fixes/aborted-records.ts";
import { randomFrom } from "../../../support/random.ts";

const PRODUCERS = ["1", "2", "3"];
const OFFSETS = 24;
const HISTORIES = 5_000;

type Message = Parameters<typeof withoutAborted>[0]["messages"][number];

const record = (offset: number, producerId: string, isControlRecord = false): Message => ({
  offset: String(offset),
  isControlRecord,
  batchContext: { producerId, inTransaction: true },
});

const delivered = (partition: Parameters<typeof withoutAborted>[0]): string[] =>
  withoutAborted(partition)
    .messages.filter(({ isControlRecord }) => !isControlRecord)
    .map(({ offset }) => offset);

/** Transactions of three producers that overlap, and the offsets of the records that were committed. */
const historyOf = (random: () => number) => {
  const pick = (below: number): number => Math.floor(random() * below);
  const log: Message[] = [];
  const open = new Map<string, number[]>();
  const committed = new Set<string>();
  const aborted: { producerId: string; firstOffset: string; endOffset: number }[] = [];
  for (let offset = 0; offset < OFFSETS; offset += 1) {
    const producerId = PRODUCERS[pick(PRODUCERS.length)] ?? "";
    const records = open.get(producerId) ?? [];
    const ends = records.length > 0 && pick(3) === 0;
    log.push(record(offset, producerId, ends));
    if (!ends) {
      open.set(producerId, [...records, offset]);
      continue;
    }
    open.delete(producerId);
    if (pick(2) === 0) for (const each of records) committed.add(String(each));
    else aborted.push({ producerId, firstOffset: String(records[0]), endOffset: offset });
  }
  // A fetch of committed records ends before the first transaction that is open, and may begin anywhere.
  const stable = Math.min(OFFSETS, ...[...open.values()].map(([first]) => first ?? 0));
  const from = pick(stable);
  const isFetched = ({ offset }: Message): boolean => Number(offset) >= from && Number(offset) < stable;
  return {
    messages: log.filter(isFetched),
    abortedTransactions: aborted.filter(
      ({ firstOffset, endOffset }) => endOffset >= from && Number(firstOffset) < stable,
    ),
    committed: log
      .filter((each) => isFetched(each) && committed.has(each.offset))
      .map(({ offset }) => offset),
  };
};

test("random overlapping transactions: exactly the committed records are delivered", () => {
  let overlapping = 0;
  for (let seed = 1; seed <= HISTORIES; seed += 1) {
    const { committed, ...partition } = historyOf(randomFrom(seed));
    expect(delivered(partition), `seed ${seed}`).toEqual(committed);
    if (partition.abortedTransactions.length > 1) overlapping += 1;
  }
  expect(overlapping).toBeGreaterThan(HISTORIES / 10);
});

test("records outside of transactions pass, also those of a producer whose transaction was aborted", () => {
  const plain = { ...record(2, "1"), batchContext: { producerId: "1", inTransaction: false } };
  const abortedTransactions = [{ producerId: "1", firstOffset: "0" }];
  const partition = {
    abortedTransactions,
    messages: [record(0, "1"), record(1, "1", true), plain, record(3, "1")],
  };
  expect(delivered(partition)).toEqual(["2", "3"]);
  expect(withoutAborted(partition).abortedTransactions).toEqual([]);
});
