import type { Lifeline, Place } from "../../src/commands-to-results/journal/ports.ts";
import type { Replica, Surroundings } from "./replica.ts";
import { itemOf } from "./replica.ts";
import type { SentCommand } from "./scenario.ts";
import { SESSION_TIMEOUT_MS } from "./scenario.ts";

type Assignment = { replica: Replica; generation: number; stop: AbortController };

/** The commands topic and the consumer group on it, with a window per assigned partition that commits behind what is settled. */
export const createGroup = (around: Surroundings, replicas: () => Replica[]) => {
  const { world, scenario, oracle, log } = around;
  const { random } = world;
  const topic: SentCommand[][] = Array.from({ length: scenario.commandPartitions }, () => []);
  for (const command of [...scenario.commands].sort((a, b) => a.sentAtMs - b.sentAtMs))
    topic[command.partition]!.push(command);
  const committed = topic.map(() => 0);
  const owners: (Assignment | null)[] = topic.map(() => null);
  let generations = 0;

  const commit = (partition: number, generation: number, offset: number): void => {
    // The group refuses a member that is not in it any more.
    if (owners[partition]?.generation !== generation || offset <= committed[partition]!) return;
    world.note(() => `group: partition ${partition} is committed up to ${offset}`);
    committed[partition] = offset;
    oracle.committed(topic[partition]!.slice(0, offset));
  };

  const runWindow = (partition: number, { replica, generation, stop }: Assignment): void => {
    const records = topic[partition]!;
    const settled = new Set<number>();
    const running = new Set<number>();
    const place: Place = {
      leave: () => undefined,
      take: () => new Promise((resolve) => world.after(random.int(0, 5), replica, resolve)),
    };
    const lifeline: Lifeline = {
      stop: stop.signal,
      cut: replica.cut.signal,
      abandon: replica.abandon.signal,
    };
    const first = committed[partition]!;

    const settle = (offset: number): void => {
      settled.add(offset);
      let next = first;
      while (settled.has(next)) next += 1;
      if (next > first) world.after(log.latencyMs(), replica, () => commit(partition, generation, next));
      fill();
    };
    const start = (offset: number): void => {
      const sent = records[offset]!;
      world.note(() => `${replica.name} takes up ${partition}/${offset} ${sent.commandId}`);
      oracle.started(records.slice(0, offset), sent);
      running.add(offset);
      replica.execute(itemOf(sent, replica.deps.clock.now()), lifeline, place).then(
        (end) => {
          world.note(() => `${replica.name} settles ${sent.commandId}: ${end.kind}`);
          running.delete(offset);
          if (end.kind === "reused") oracle.reused(sent);
          settle(offset);
        },
        (error: unknown) => {
          running.delete(offset);
          if (!stop.signal.aborted && replica.alive)
            oracle.fail(`${sent.commandId}: execute rejected with ${String(error)}`);
        },
      );
    };
    const fill = (): void => {
      if (stop.signal.aborted) return;
      const busy = new Set<string>();
      for (let offset = first; offset < records.length; offset++) {
        const sent = records[offset]!;
        if (settled.has(offset) || sent.sentAtMs > world.nowMs()) continue;
        if (!running.has(offset) && !busy.has(sent.kafkaKey)) start(offset);
        busy.add(sent.kafkaKey);
      }
    };
    for (const { sentAtMs } of records.slice(first)) {
      const inMs = sentAtMs - world.nowMs();
      if (inMs > 0) world.after(inMs + random.int(0, 5), replica, fill);
    }
    fill();
  };

  const assign = (partition: number, replica: Replica): void => {
    const old = owners[partition];
    const assignment = { replica, generation: ++generations, stop: new AbortController() };
    owners[partition] = assignment;
    world.note(() => `group: partition ${partition} goes to ${replica.name}`);
    // The former owner hears of it when it hears of it.
    if (old) world.after(random.int(0, 300), old.replica, () => old.stop.abort(new Error("partition lost")));
    world.after(random.int(0, 60), replica, () => {
      replica.lastHeartbeatMs = replica.deps.clock.now();
      runWindow(partition, assignment);
    });
  };

  const heardAtMs = new Map<Replica, number>();
  const isAwake = ({ alive, stopped, frozenUntilMs }: Replica): boolean =>
    alive && !stopped && frozenUntilMs <= world.nowMs();
  const members = (): Replica[] => replicas().filter(isAwake);

  /** Heartbeats, and what the group does about members that it did not hear of. */
  const beat = (): void => {
    const awake = members();
    for (const replica of awake) {
      heardAtMs.set(replica, world.nowMs());
      replica.lastHeartbeatMs = replica.deps.clock.now();
    }
    owners.forEach((owner, partition) => {
      const silentMs = owner ? world.nowMs() - (heardAtMs.get(owner.replica) ?? 0) : Infinity;
      const gone = silentMs >= SESSION_TIMEOUT_MS || (owner?.replica.stopped && !owner.replica.alive);
      if (gone && awake.length > 0) assign(partition, random.pick(awake));
    });
  };

  return {
    beat,
    rebalance: (): void => {
      const awake = members();
      if (awake.length > 0) assign(random.int(0, topic.length - 1), random.pick(awake));
    },
    stopsOf: (replica: Replica): AbortController[] =>
      owners.flatMap((owner) => (owner?.replica === replica ? [owner.stop] : [])),
    done: (): boolean => topic.every((records, partition) => committed[partition] === records.length),
  };
};
