import type { Config } from "../../config/config.ts";
import { startTail, type Range, type Tail } from "../../kafka/consume/tail.ts";
import { followWords } from "../../operator/follow-words.ts";
import type { Words } from "../../operator/pauses.ts";
import type { Services } from "../services.ts";

type Hooks = {
  ranges: () => Promise<ReadonlyMap<number, Range>>;
  /** Something was read. Never called before `followControl` has returned. */
  changed: () => void;
};

export type FollowedControl = Pick<Tail, "state" | "stop"> & {
  words: () => Words;
  /** Whether the topic has been read to its end once. */
  isRead: () => boolean;
};

/** Follows the pauses and resumptions in the control topic. */
export const followControl = (
  config: Config,
  services: Services,
  { ranges, changed }: Hooks,
): FollowedControl => {
  const { log } = services;
  const topic = config.topics.control;
  const { words, isRead, begin, position, take, reached } = followWords({
    unreadable: ({ partition, offset }, detail) =>
      log.error({ topic, partition, offset, detail }, "control.unreadable"),
    forgotten: (flow) => log.error({ topic, flow }, "control.forgotten"),
  });
  const { state, stop } = startTail(
    { topic, groupId: services.ownGroup("control"), sessionTimeoutMs: config.kafka.sessionTimeoutMs },
    {
      begin: (found) => {
        begin(found);
        changed();
      },
      position,
      take: (record) => {
        const isOurs = take(record);
        changed();
        return isOurs;
      },
      reached: (partition, next) => {
        reached(partition, next);
        changed();
      },
    },
    { ...services, ranges },
  );
  return { words, isRead, state, stop };
};
