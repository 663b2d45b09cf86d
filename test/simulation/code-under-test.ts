import { pathToFileURL } from "node:url";

type RuntimeClock = typeof import("../../src/runtime/clock.ts");
type Execute = typeof import("../../src/commands-to-results/accept-once/execute.ts");
type View = typeof import("../../src/commands-to-results/accept-once/view.ts");
type Republish = typeof import("../../src/commands-to-results/accept-once/loops.ts");
type DoubtOrphans = typeof import("../../src/commands-to-results/accept-once/loops.ts");
type Watch = typeof import("../../src/commands-to-results/accept-once/journal/watch.ts");
type Resolve = typeof import("../../src/commands-to-results/accept-once/resolve.ts");
type Translate = typeof import("../../src/commands-to-results/translate.ts");
type KeyOrder = typeof import("../../src/kafka/consume/key-order.ts");
type AssignedPartition = typeof import("../../src/kafka/consume/assigned-partition.ts");
type Watermark = typeof import("../../src/kafka/consume/watermark.ts");

/** The code under test: the project's own, or a copy with a mutant's mistake. */
export type CodeUnderTest = Pick<Execute, "createExecute"> &
  Pick<View, "createView"> &
  Pick<Republish, "republish"> &
  Pick<DoubtOrphans, "doubtOrphans"> &
  Pick<Watch, "watchJournal"> &
  Pick<Resolve, "resolve"> &
  Pick<Translate, "journalRef" | "refusedRef"> &
  Pick<KeyOrder, "keyOrder"> &
  Pick<AssignedPartition, "endAssignment" | "suspendPartition" | "newAssignedPartition" | "handleUntilDone"> &
  Pick<Watermark, "Watermark"> &
  Pick<RuntimeClock, "DeadlineError">;

/** @param root the folder that contains src/ as JavaScript */
export const loadCode = async (root: string): Promise<CodeUnderTest> => {
  const load = (path: string): Promise<unknown> => import(pathToFileURL(`${root}/src/${path}`).href);
  const { createExecute } = (await load("commands-to-results/accept-once/execute.js")) as Execute;
  const { createView } = (await load("commands-to-results/accept-once/view.js")) as View;
  const { republish } = (await load("commands-to-results/accept-once/loops.js")) as Republish;
  const { doubtOrphans } = (await load("commands-to-results/accept-once/loops.js")) as DoubtOrphans;
  const { watchJournal } = (await load("commands-to-results/accept-once/journal/watch.js")) as Watch;
  const { resolve } = (await load("commands-to-results/accept-once/resolve.js")) as Resolve;
  const { journalRef, refusedRef } = (await load("commands-to-results/translate.js")) as Translate;
  const { DeadlineError } = (await load("runtime/clock.js")) as RuntimeClock;
  const { keyOrder } = (await load("kafka/consume/key-order.js")) as KeyOrder;
  const { endAssignment, suspendPartition, newAssignedPartition, handleUntilDone } = (await load(
    "kafka/consume/assigned-partition.js",
  )) as AssignedPartition;
  const { Watermark } = (await load("kafka/consume/watermark.js")) as Watermark;
  return {
    DeadlineError,
    Watermark,
    createExecute,
    createView,
    doubtOrphans,
    endAssignment,
    suspendPartition,
    journalRef,
    keyOrder,
    newAssignedPartition,
    refusedRef,
    republish,
    resolve,
    watchJournal,
    handleUntilDone,
  };
};
