import type { Found, Step } from "./step.ts";

/** What became of a command or of a transaction, as a sentence. */
export type Ending = {
  about: "command" | "transaction";
  id: string;
  tone: Step["tone"];
  sentence: string;
  isDoubt: boolean;
};

const NOT_TAKEN = "No replica has taken it up, as far as was read.";
const IN_DOUBT = "In doubt: nobody knows whether the partner executed it, and a person must find out.";

const commandEnding = (id: string, steps: readonly Step[]): Ending => {
  // Of several that say as much, the last.
  const found = steps.reduce((most, step) => (step.weight >= most.weight ? step : most));
  const [about, isDoubt] = ["command" as const, found.weight === 3];
  if (found.weight === 0) return { about, id, tone: "wait", sentence: NOT_TAKEN, isDoubt };
  if (isDoubt) return { about, id, tone: "bad", sentence: IN_DOUBT, isDoubt };
  return { about, id, tone: found.tone, sentence: `${found.title} (${found.place}).`, isDoubt };
};

const transactionEnding = (id: string, steps: readonly Step[]): Ending => {
  const { tone = "plain", title = "" } = steps.at(-1) ?? {};
  const which = steps.length === 1 ? "Its only status" : `The last of its ${steps.length} statuses`;
  return { about: "transaction", id, tone, sentence: `${which}: ${title}.`, isDoubt: false };
};

/** What became of each command and each transaction that was found. @param all in order of time */
export const endingsOf = (all: readonly Found[]): Ending[] => {
  const stepsOf = ([id, found]: [string, Found[]]) => [id, found.map(({ step }) => step)] as const;
  const commands = Map.groupBy(
    all.filter(({ ids }) => ids.commandId !== ""),
    ({ ids }) => ids.commandId,
  );
  const transactions = Map.groupBy(
    all.filter(({ step }) => step.kind === "event"),
    ({ ids }) => ids.transactionId,
  );
  return [
    ...[...commands].map(stepsOf).map(([id, steps]) => commandEnding(id, steps)),
    ...[...transactions].map(stepsOf).map(([id, steps]) => transactionEnding(id, steps)),
  ];
};
