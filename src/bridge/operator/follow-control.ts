import type { Config } from "../../config/config.ts";
import { startTail, type Range, type Tail } from "../../kafka/consume/tail.ts";
import { createControlFold } from "../../operator/control-fold.ts";
import type { ControlEntries } from "../../operator/control-entry.ts";
import type { Kit } from "../kit.ts";

type Hooks = {
  ranges: () => Promise<ReadonlyMap<number, Range>>;
  /** Something was read. Not called before this function has returned. */
  changed: () => void;
};

export type ControlFollower = Pick<Tail, "state" | "stop"> & {
  entries: () => ControlEntries;
  /** Whether the topic was ever read to its end. */
  isRead: () => boolean;
};

/** Follows what people say in the control topic. */
export const followControl = (config: Config, kit: Kit, { ranges, changed }: Hooks): ControlFollower => {
  const { log } = kit;
  const topic = config.topics.control;
  const { entries, isRead, begin, position, take, reached } = createControlFold({
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
  return { entries, isRead, state, stop };
};
