import type { Found, Step } from "./step.ts";

/** What became of a command or of a transaction, as a sentence. */
export type Ending = {
  about: "command" | "transaction";
  id: string;
  tone: Step["tone"];
  sentence: string;
  isDoubt: boolean;
};

const commandEnding = (commandId: string, steps: readonly Step[]): Ending => {
  const of = (kind: Step["kind"], title: string): Step | undefined =>
    steps.findLast((step) => step.kind === kind && step.title.startsWith(title));
  const at = (step: Step): string => `${step.title} (${step.place}).`;
  const isFinal = (step: Step): boolean => step.kind === "result" && step.tone !== "wait";
  const ending = (tone: Step["tone"], sentence: string, isDoubt = false): Ending => ({
    about: "command",
    id: commandId,
    tone,
    sentence,
    isDoubt,
  });
  const result = steps.findLast(isFinal);
  if (result) return ending(result.tone, at(result));
  const concluded = of("journal", "Concluded");
  if (concluded) return ending(concluded.tone, at(concluded));
  const doubt = of("result", "Result: IN_DOUBT") ?? of("journal", "In doubt");
  if (doubt)
    return ending(
      "bad",
      "In doubt: nobody knows whether the partner executed it, and a person must find out.",
      true,
    );
  const letter = steps.findLast(({ kind }) => kind === "dead letter");
  if (letter) return ending("bad", at(letter));
  return steps.some(({ title }) => title.startsWith("Claimed"))
    ? ending("wait", "It was taken up, and its call may be under way.")
    : ending("wait", "No replica has taken it up, as far as was read.");
};

/** What became of each command and each transaction that was found. */
export const endingsOf = (all: readonly Found[]): Ending[] => {
  const commands = new Map<string, Step[]>();
  const transactions = new Map<string, Step[]>();
  const put = (groups: Map<string, Step[]>, id: string, step: Step): void => {
    groups.set(id, [...(groups.get(id) ?? []), step]);
  };
  const inTime = [...all].sort((a, b) => a.step.atMs - b.step.atMs);
  for (const { ids, step } of inTime) {
    if (ids.commandId !== "") put(commands, ids.commandId, step);
    if (step.kind === "event") put(transactions, ids.transactionId, step);
  }
  return [
    ...[...commands].map(([id, steps]) => commandEnding(id, steps)),
    ...[...transactions].flatMap(([id, steps]): Ending[] => {
      const last = steps.at(-1);
      const sentence =
        last &&
        `${steps.length === 1 ? "Its only status" : `The last of its ${steps.length} statuses`}: ${last.title}.`;
      return last && sentence
        ? [{ about: "transaction", id, tone: last.tone, sentence, isDoubt: false }]
        : [];
    }),
  ];
};
