import type { Lifeline, Place } from "../../src/commands-to-results/journal/ports.ts";
import type { Replica, Surroundings } from "./replica.ts";
import { itemOf } from "./replica.ts";
import type { SentCommand } from "./scenario.ts";
import { SESSION_TIMEOUT_MS } from "./scenario.ts";

type Assignment = { replica: Replica; generation: number; stop: AbortController };

/** The commands topic and the consumer group on it. */
export const createGroup = (around: Surroundings, replicas: () => Replica[]) => {
  const { world, scenario, oracle, log, subject } = around;
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

  /** What a replica does with a partition that is its own, with the bridge's own order of keys and its own watermark. */
  const consume = (partition: number, { replica, generation, stop }: Assignment): void => {
    const records = topic[partition]!;
    const watermark = new subject.Watermark(committed[partition]!);
    const lifeline: Lifeline = {
      stop: stop.signal,
      cut: replica.cut.signal,
      abandon: replica.abandon.signal,
    };

    const isLost = (): boolean => stop.signal.aborted;

    const handle = async (offset: number, place: Place): Promise<void> => {
      if (isLost()) return;
      const sent = records[offset]!;
      world.note(() => `${replica.name} takes up ${partition}/${offset} ${sent.commandId}`);
      oracle.started(records.slice(0, offset), sent);
      try {
        const end = await replica.execute(itemOf(sent, replica.deps.clock.now()), lifeline, place);
        world.note(() => `${replica.name} settles ${sent.commandId}: ${end.kind}`);
        if (end.kind === "reused") oracle.reused(sent);
      } catch (error) {
        if (!isLost() && replica.alive)
          oracle.fail(`${sent.commandId}: execute rejected with ${String(error)}`);
        return;
      }
      watermark.finish(offset);
      const upTo = watermark.committable();
      world.after(log.latencyMs(), replica, () => commit(partition, generation, upTo));
    };
    const fetch = (): void => {
      if (isLost()) return;
      while (watermark.next < records.length && records[watermark.next]!.sentAtMs <= world.nowMs()) {
        const offset = watermark.next;
        watermark.begin(offset, records[offset]!.sentAtMs);
        replica.order.submit(records[offset]!.kafkaKey, (place) => handle(offset, place));
      }
    };
    for (const { sentAtMs } of records.slice(watermark.next)) {
      const inMs = sentAtMs - world.nowMs();
      if (inMs > 0) world.after(inMs + random.int(0, 5), replica, fetch);
    }
    fetch();
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
      consume(partition, assignment);
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
