import { pathToFileURL } from "node:url";

/** The code under test: the project's own, or a copy with a mutant's mistake. */
export type CodeUnderTest = typeof import("../../src/commands-to-results/accept-once/execute.ts") &
  typeof import("../../src/commands-to-results/accept-once/view.ts") &
  typeof import("../../src/commands-to-results/accept-once/loops.ts") &
  typeof import("../../src/commands-to-results/accept-once/journal/watch.ts") &
  typeof import("../../src/commands-to-results/accept-once/resolve.ts") &
  typeof import("../../src/operate/resolve/find-doubt.ts") &
  typeof import("../../src/commands-to-results/translate.ts") &
  typeof import("../../src/kafka/consume/key-order.ts") &
  typeof import("../../src/kafka/consume/assigned-partition.ts") &
  typeof import("../../src/kafka/consume/watermark.ts") &
  typeof import("../../src/partner/connection/call-limiter.ts");

const FILES = [
  ...["execute", "view", "loops", "journal/watch", "resolve"].map(
    (name) => `commands-to-results/accept-once/${name}`,
  ),
  "commands-to-results/translate",
  ...["key-order", "assigned-partition", "watermark"].map((name) => `kafka/consume/${name}`),
  "partner/connection/call-limiter",
  "operate/resolve/find-doubt",
];

/** @param root the folder that contains src/ as JavaScript */
export const loadCode = async (root: string): Promise<CodeUnderTest> => {
  const load = (path: string): Promise<object> => import(pathToFileURL(`${root}/src/${path}.js`).href);
  return Object.assign({}, ...(await Promise.all(FILES.map(load)))) as CodeUnderTest;
};
