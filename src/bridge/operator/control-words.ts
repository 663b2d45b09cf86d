import type { Config } from "../../config/config.ts";
import { startTail, type Range, type Tail } from "../../kafka/consume/tail.ts";
import { followWords } from "../../operator/control-fold.ts";
import type { Words } from "../../operator/control-entry.ts";
import type { Kit } from "../kit.ts";

type Hooks = {
  ranges: () => Promise<ReadonlyMap<number, Range>>;
  /** Something was read. Not called before this function has returned. */
  changed: () => void;
};

export type ControlWords = Pick<Tail, "state" | "stop"> & {
  words: () => Words;
  /** Whether the topic was ever read to its end. */
  isRead: () => boolean;
};

/** Follows what people say in the control topic. */
export const followControl = (config: Config, kit: Kit, { ranges, changed }: Hooks): ControlWords => {
  const { log } = kit;
  const topic = config.topics.control;
  const { words, isRead, begin, position, take, reached } = followWords({
    unreadable: ({ partition, offset }, detail) =>
      log.error({ topic, partition, offset, detail }, "control.unreadable"),
    forgotten: (flow) => log.error({ topic, flow }, "control.forgotten"),
  });
  const { state, stop } = startTail(
    { topic, groupId: kit.ownGroup("control"), sessionTimeoutMs: config.kafka.sessionTimeoutMs },
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
    { ...kit, ranges },
  );
  return { words, isRead, state, stop };
};
