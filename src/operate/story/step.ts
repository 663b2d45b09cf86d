import type { Incoming } from "../../kafka/record.ts";
import { iso } from "../../runtime/instant.ts";
import { placeText } from "../../runtime/record-position.ts";

/** One record of a story. */
export type Step = {
  /** The record's timestamp. */
  atMs: number;
  place: string;
  kind: "command" | "journal" | "result" | "event" | "dead letter" | "action";
  title: string;
  tone: "good" | "wait" | "bad" | "plain";
  /** Names and values to show. */
  facts: readonly (readonly [name: string, value: string])[];
  /** The record's value, or the partner's answer, as text, bounded; null for none. */
  payload: string | null;
  /** Of interest only to those who know how the bridge works: claims, releases, marks. */
  isMachinery: boolean;
  /** What it says of its command's end: 5 the final result, 4 its conclusion, 3 a doubt, 2 a dead letter, 1 a claim. */
  weight: 0 | 1 | 2 | 3 | 4 | 5;
};

/** What a record is about; empty where it does not say. */
const ID_NAMES = ["commandId", "quoteId", "externalId", "transactionId"] as const;
export type Ids = Readonly<Record<(typeof ID_NAMES)[number], string>>;
export type Found = { ids: Ids; step: Step };

const MAX_FACT = 1_000;
const MAX_PAYLOAD = 65_536;
/** Shown otherwise. */
const HIDDEN = new Set(["payload", "response", "requestHash", "resultId"]);

const short = (text: string, most: number): string => (text.length > most ? `${text.slice(0, most)}…` : text);

/** The plain values of a record; those whose names end in At are times. */
const factsOf = (values: object): Step["facts"] =>
  Object.entries(values).flatMap(([name, value]: [string, unknown]) => {
    if (HIDDEN.has(name) || value === "") return [];
    if (typeof value !== "string" && typeof value !== "number" && typeof value !== "boolean") return [];
    const isTime = typeof value === "number" && name.endsWith("At");
    return [[name, short(isTime ? iso(value) : String(value), MAX_FACT)] as const];
  });

/** The step of a record that says these values. */
export const found = (
  record: Incoming,
  values: object,
  told: Pick<Step, "kind" | "title"> & Partial<Pick<Step, "tone" | "payload" | "isMachinery" | "weight">>,
): Found => {
  const of = values as Readonly<Record<string, unknown>>;
  const idOf = (name: string): string => (typeof of[name] === "string" ? of[name] : "");
  const { payload = null } = told;
  return {
    ids: Object.fromEntries(ID_NAMES.map((name) => [name, idOf(name)])) as Ids,
    step: {
      tone: "plain",
      isMachinery: false,
      weight: 0,
      ...told,
      atMs: record.timestampMs,
      place: placeText(record.topic, record),
      payload: payload === null ? null : short(payload, MAX_PAYLOAD),
      facts: factsOf(values),
    },
  };
};

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
