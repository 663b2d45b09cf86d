import type { Config } from "../../config/config.ts";
import type { Range } from "../../kafka/consume/read-log.ts";
import { startTail, type Tail } from "../../kafka/consume/tail.ts";
import { createControlFold } from "./fold.ts";
import type { ControlEntries } from "./entry.ts";
import type { Services } from "../../services/services.ts";

type Hooks = {
  ranges: () => Promise<ReadonlyMap<number, Range>>;
  /** Something was read. Never called before `followControl` has returned. */
  changed: () => void;
};

export type FollowedControl = Pick<Tail, "state" | "stop"> & {
  entries: () => ControlEntries;
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
  const { entries, isRead, begin, take, reached } = createControlFold({
    unreadable: ({ partition, offset }, detail) =>
      log.error({ topic, partition, offset, detail }, "control.unreadable"),
    forgotten: (flow) => log.error({ topic, flow }, "control.forgotten"),
  });
  const { state, stop } = startTail(
    { topic },
    {
      begin: (found) => {
        begin(found);
        changed();
        return found;
      },
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
  return { entries, isRead, state, stop };
};
