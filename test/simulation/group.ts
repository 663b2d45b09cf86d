import type { StopSignals, Slot } from "../../src/commands-to-results/accept-once/ports.ts";
import type { AssignedPartition } from "../../src/kafka/consume/assigned-partition.ts";
import type { Replica, SimulationContext } from "./replica.ts";
import { itemOf } from "./replica.ts";
import type { SentCommand } from "./scenario.ts";
import { SESSION_TIMEOUT_MS } from "./scenario.ts";

type Assignment = { replica: Replica; generation: number; assigned: AssignedPartition };

/** How long the real consumer waits before it handles a failed record again. */
const AGAIN_AFTER_MS = 2_000;

/** The commands topic and the consumer group on it. */
export const createGroup = (context: SimulationContext, replicas: () => Replica[]) => {
  const { simulator, scenario, oracle, log, code } = context;
  const { random } = simulator;
  const topic: SentCommand[][] = Array.from({ length: scenario.commandPartitions }, () => []);
  for (const command of [...scenario.commands].sort((a, b) => a.sentAtMs - b.sentAtMs))
    topic[command.partition]!.push(command);
  const committed = topic.map(() => 0);
  const owners: (Assignment | null)[] = topic.map(() => null);
  /** Of all replicas, oldest first, including those that have ended. */
  const assignments: Assignment[] = [];

  const commit = (partition: number, generation: number, offset: number): void => {
    // The group refuses commits of an earlier generation.
    if (owners[partition]?.generation !== generation || offset <= committed[partition]!) return;
    simulator.note(() => `group: partition ${partition} is committed up to ${offset}`);
    committed[partition] = offset;
    oracle.committed(topic[partition]!.slice(0, offset));
  };

  /** A replica handles its partition, with the key order, partition state and watermark of the bridge. */
  const consume = (partition: number, { replica, generation, assigned }: Assignment): void => {
    const records = topic[partition]!;
    const watermark = new code.Watermark(committed[partition]!);
    const isLost = (): boolean => assigned.lost.signal.aborted;

    const handle = async (offset: number, slot: Slot, stop: AbortSignal): Promise<void> => {
      const signals: StopSignals = { stop, cut: replica.cut.signal, abandon: replica.abandon.signal };
      const sent = records[offset]!;
      simulator.note(() => `${replica.name} takes up ${partition}/${offset} ${sent.commandId}`);
      oracle.started(records.slice(0, offset), sent);
      const prepared = itemOf(sent, replica.deps.clock.now(), code);
      const ended = replica.gateCheck.begins(`${sent.commandId} for ${sent.key}`, stop);
      try {
        const end = await replica.execute(prepared, signals, slot);
        simulator.note(
          () => `${replica.name} settles ${sent.commandId}${end === "reused" ? ": reused" : ""}`,
        );
        if (end === "reused") oracle.reused(sent);
      } finally {
        ended();
        log.ended(replica, prepared.ref);
      }
      watermark.finish(offset);
      const upTo = watermark.committable();
      simulator.after(log.latencyMs(), replica, () => commit(partition, generation, upTo));
    };
    const run = (offset: number, slot: Slot): Promise<void> =>
      code.handleUntilDone(assigned, slot, {
        handle: (signal) => handle(offset, slot, signal),
        failed: (error) => {
          if (replica.alive)
            oracle.fail(`${records[offset]!.commandId}: execute rejected with ${String(error)}`);
          return replica.deps.clock.sleep(AGAIN_AFTER_MS, assigned.lost.signal);
        },
      });
    const fetch = (): void => {
      if (isLost()) return;
      while (watermark.next < records.length && records[watermark.next]!.sentAtMs <= simulator.nowMs()) {
        const offset = watermark.next;
        watermark.begin(offset, records[offset]!.sentAtMs);
        replica.order.submit(records[offset]!.kafkaKey, (slot) => run(offset, slot));
      }
    };
    for (const { sentAtMs } of records.slice(watermark.next)) {
      const inMs = sentAtMs - simulator.nowMs();
      if (inMs > 0) simulator.after(inMs + random.int(0, 5), replica, fetch);
    }
    fetch();
  };

  const assign = (partition: number, replica: Replica): void => {
    const old = owners[partition];
    const assignment = {
      replica,
      generation: assignments.length + 1,
      assigned: code.newAssignedPartition(),
    };
    assignments.push(assignment);
    owners[partition] = assignment;
    simulator.note(() => `group: partition ${partition} goes to ${replica.name}`);
    // The former owner learns of it with a delay.
    if (old)
      simulator.after(random.int(0, 300), old.replica, () =>
        code.endAssignment(old.assigned, new Error("partition lost")),
      );
    simulator.after(random.int(0, 60), replica, () => {
      replica.lastHeartbeatMs = replica.deps.clock.now();
      consume(partition, assignment);
    });
  };

  const assignedTo = (replica: Replica): AssignedPartition[] =>
    assignments
      .filter((one) => one.replica === replica && !one.assigned.lost.signal.aborted)
      .map(({ assigned }) => assigned);

  const heardAtMs = new Map<Replica, number>();
  const isAwake = ({ alive, stopped, frozenUntilMs }: Replica): boolean =>
    alive && !stopped && frozenUntilMs <= simulator.nowMs();
  const members = (): Replica[] => replicas().filter(isAwake);

  /** Takes heartbeats, and reassigns the partitions of members whose session has timed out. */
  const heartbeat = (): void => {
    const awake = members();
    for (const replica of awake) {
      heardAtMs.set(replica, simulator.nowMs());
      replica.lastHeartbeatMs = replica.deps.clock.now();
    }
    owners.forEach((owner, partition) => {
      const silentMs = owner ? simulator.nowMs() - (heardAtMs.get(owner.replica) ?? 0) : Infinity;
      const gone = silentMs >= SESSION_TIMEOUT_MS || (owner?.replica.stopped && !owner.replica.alive);
      if (gone && awake.length > 0) assign(partition, random.pick(awake));
    });
  };

  return {
    beat: heartbeat,
    rebalance: (partition = random.int(0, topic.length - 1)): void => {
      const awake = members();
      if (awake.length > 0) assign(partition, random.pick(awake));
    },
    /** Does what the real consumer does when commands are paused or resumed. */
    hold: (replica: Replica, isHeld: boolean): void => {
      if (replica.stopped) return;
      for (const assigned of assignedTo(replica)) code.suspendPartition(assigned, isHeld);
      replica.order.suspend(isHeld);
    },
    /** Does what the real consumer does when it takes no new records. */
    drain: (replica: Replica): void => {
      for (const assigned of assignedTo(replica)) code.endAssignment(assigned, new Error("draining"));
      replica.order.suspend(false);
    },
    done: (): boolean => topic.every((records, partition) => committed[partition] === records.length),
  };
};
