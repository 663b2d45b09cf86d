import type { Entry, JournalStep, Ref } from "../../src/commands-to-results/accept-once/entry.ts";
import { readJournalRecord, toRecord } from "../../src/commands-to-results/accept-once/entry.ts";
import type { Journal } from "../../src/commands-to-results/accept-once/ports.ts";
import type { View } from "../../src/commands-to-results/accept-once/view.ts";
import type { RecordPosition } from "../../src/runtime/record-position.ts";
import { EPOCH_MS } from "./clock.ts";
import { createCommandIdCheck } from "./command-id-check.ts";
import type { Oracle } from "./oracle.ts";
import type { RetentionWatch, TopicState } from "./retention.ts";
import type { Scenario } from "./scenario.ts";
import type { SimulatedProcess, Simulator } from "./simulator.ts";

/** A record of the journal topic. */
type Written = RecordPosition & { timestampMs: number; key: string; entry: Entry | null };

/** The journal topic, which all replicas share. */
export type JournalLog = ReturnType<typeof createJournalLog>;

const APPEND_TIMEOUT_MS = 400;

export const createJournalLog = (simulator: Simulator, scenario: Scenario, oracle: Oracle) => {
  const { random } = simulator;
  const { chances } = scenario;
  const partitions: Written[][] = Array.from({ length: scenario.journalPartitions }, () => []);
  const tails: ((partition: number) => void)[] = [];
  /** The first offset that each partition still holds. */
  const starts = partitions.map(() => 0);
  let isKeptTooShortly = false;
  let isFirstClaim = true;
  const faulty = (chance: number): boolean => simulator.nowMs() < scenario.calmAtMs && random.chance(chance);
  const latencyMs = (slowed: (ms: number) => void = () => undefined): number => {
    if (!faulty(chances.slow)) return random.int(0, 8);
    const ms = random.int(50, 1_500);
    slowed(ms);
    return ms;
  };
  const partitionOf = (key: string): number => key.charCodeAt(key.length - 1) % partitions.length;

  const write = ({ operation, key, commandId }: Ref, step: JournalStep): RecordPosition => {
    const partition = partitionOf(key);
    const records = partitions[partition]!;
    const offset = records.length;
    records.push({
      partition,
      offset,
      timestampMs: EPOCH_MS + simulator.nowMs(),
      key,
      entry: readJournalRecord(toRecord({ operation, commandId, step }), { key, ageMs: 0 }),
    });
    simulator.note(
      () =>
        `log ${partition}/${offset} ${key} ${commandId} ${JSON.stringify({ ...step, result: undefined })}`,
    );
    if (step.kind === "claimed") oracle.claimed(step.attemptId);
    if (step.kind === "released") oracle.released(step.attemptId);
    if (step.kind === "concluded" && step.result.includes("OPERATOR_DECISION"))
      oracle.denied(`${commandId} for ${key}`, step.attemptId);
    if (step.kind === "concluded")
      oracle.concluded(`${commandId} for ${key}`, {
        final: step.outcome !== "IN_DOUBT",
        attemptId: step.attemptId,
        ownerLost: step.outcome === "IN_DOUBT" && step.result.includes("OWNER_LOST"),
      });
    for (const tail of tails) tail(partition);
    return { partition, offset };
  };

  const commandIdCheck = createCommandIdCheck(oracle);

  const journalFor = (process: SimulatedProcess, atPort: () => void): Journal => ({
    append: (ref, step) =>
      new Promise((resolve, reject) => {
        const { key, commandId } = ref;
        commandIdCheck.begins(process, ref, step);
        if (step.kind === "claimed")
          oracle.claiming({ attemptId: step.attemptId, commandId, owner: process.name });
        const disturbed = (): void => oracle.claimDisturbed(commandId);
        atPort();
        const lose = (why: string, afterMs = APPEND_TIMEOUT_MS): void => {
          disturbed();
          simulator.after(afterMs, process, () => {
            simulator.note(() => `${process.name}: append of ${step.kind} ${why}`);
            reject(new Error(why));
          });
        };
        const isLateClaim = scenario.rareCase === "late-claim" && step.kind === "claimed" && isFirstClaim;
        if (step.kind === "claimed") isFirstClaim = false;
        if (!isLateClaim && faulty(chances.appendFails)) {
          lose("failed");
          return;
        }
        const { stall } = scenario;
        const isStalled = stall?.place === "journal" && partitionOf(key) === stall.partition;
        if (isStalled && simulator.nowMs() < stall.untilMs) {
          // The leader may have appended it, and give it to readers once it has replicas again.
          if (random.chance(0.3))
            simulator.after(random.pick([10, 2_500, 15_000]), null, () => write(ref, step));
          lose("lacked replicas", random.pick([10, 10, APPEND_TIMEOUT_MS, 3 * APPEND_TIMEOUT_MS]));
          return;
        }
        const isLateRejection =
          scenario.rareCase === "late-rejection" && step.kind === "concluded" && step.attemptId === null;
        if (faulty(isLateRejection || isLateClaim ? 1 : chances.appendLate)) {
          // The producer times out, but the broker appends it, perhaps much later.
          simulator.after(isLateClaim ? 2_500 : random.pick([10, 300, 600, 2_500]), null, () =>
            write(ref, step),
          );
          lose("timed out");
          return;
        }
        const ackLost = faulty(chances.ackLost);
        if (ackLost) disturbed();
        simulator.after(latencyMs(disturbed), null, () => {
          const position = write(ref, step);
          if (ackLost) lose("lost its acknowledgement");
          else simulator.after(latencyMs(disturbed), process, () => resolve(position));
        });
      }),
    reread: ({ partition, offset }) =>
      new Promise((resolve, reject) => {
        const fails = faulty(chances.appendFails);
        simulator.after(latencyMs(), process, () => {
          if (fails) reject(new Error("fetch failed"));
          else resolve(offset < starts[partition]! ? null : (partitions[partition]?.[offset]?.entry ?? null));
        });
      }),
  });

  /** Feeds a process's view, with gaps, repetitions and resets as from a Kafka client. What it returns reads a partition anew. */
  const tail = (
    process: SimulatedProcess,
    view: View,
    watch: RetentionWatch | null = null,
    see: (record: Written) => void = () => undefined,
  ): ((partition: number) => void) => {
    const scheduled = partitions.map(() => false);
    const pump = (partition: number): void => {
      if (scheduled[partition] || !process.alive) return;
      scheduled[partition] = true;
      simulator.after(
        latencyMs((ms) => oracle.disturbed(process.name, ms)),
        process,
        () => deliver(partition),
      );
    };
    const deliver = (partition: number): void => {
      scheduled[partition] = false;
      const records = partitions[partition]!;
      if (view.nextOffset(partition) === null || faulty(chances.tailReset)) {
        oracle.disturbed(process.name);
        if (watch) watch.begin();
        else view.begin(partition, { startOffset: 0, endOffset: records.length });
      }
      let from = Math.max(view.nextOffset(partition) ?? 0, starts[partition]!);
      if (faulty(chances.tailRepeats)) from = random.int(starts[partition]!, from);
      if (faulty(chances.tailGap)) {
        oracle.disturbed(process.name);
        from += random.int(1, 2);
      }
      const to = Math.min(records.length, from + random.int(1, 6));
      if (from >= to && from > starts[partition]! && to > 0) from = to - 1;
      for (const record of records.slice(from, to)) {
        if (watch && !watch.isOurs(record)) return;
        const taken = view.take(record);
        if (taken === "folded") watch?.learn(record);
        if (taken === "folded") see(record);
        if (taken === "folded" && record.entry) commandIdCheck.read(process, record.key, record.entry);
        if (taken !== "folded")
          simulator.note(() => `${process.name}: record ${partition}/${record.offset} is ${taken}`);
      }
      if (view.nextOffset(partition) !== records.length) pump(partition);
    };
    tails.push(pump);
    for (let partition = 0; partition < partitions.length; partition++) pump(partition);
    return (partition) => {
      oracle.disturbed(process.name);
      view.begin(partition, { startOffset: 0, endOffset: partitions[partition]!.length });
      pump(partition);
    };
  };

  const topic: TopicState = {
    ranges: () =>
      new Map(
        partitions.map(({ length }, partition) => [
          partition,
          { startOffset: starts[partition]!, endOffset: length },
        ]),
      ),
    isKeptTooShortly: () => isKeptTooShortly,
  };
  const setRetention = (isTooShort: boolean): void => {
    simulator.note(() => `the journal is kept ${isTooShort ? "too shortly" : "as before"}`);
    isKeptTooShortly = isTooShort;
    oracle.forgetful(isTooShort);
  };
  /** Deletes all entries, as a short retention does. */
  const purge = (): void => {
    simulator.note(() => "the journal's entries are deleted");
    partitions.forEach(({ length }, partition) => (starts[partition] = length));
  };

  return {
    topic,
    setRetention,
    purge,
    partitionOf,
    journalFor,
    tail,
    latencyMs,
    faulty,
    ended: commandIdCheck.ended,
  };
};
