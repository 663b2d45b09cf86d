import type { Incoming } from "../../kafka/record.ts";
import { iso } from "../../runtime/instant.ts";
import { placeText } from "../../runtime/record-position.ts";

export type StoryStep = {
  atMs: number;
  place: string;
  kind: "command" | "journal" | "result" | "event" | "dead letter" | "action";
  title: string;
  tone: "good" | "wait" | "bad" | "plain";
  facts: readonly (readonly [name: string, value: string])[];
  payload: string | null;
};

/** What a record is about; empty where it does not say. */
const ID_NAMES = ["commandId", "quoteId", "externalId", "transactionId"] as const;
type Ids = Readonly<Record<(typeof ID_NAMES)[number], string>>;
/** What a record says of its command's end: 5 the final result, 4 a conclusion, 3 a doubt, 2 a dead letter, 1 a claim. */
type Weight = 0 | 1 | 2 | 3 | 4 | 5;
export type StoryRecord = {
  ids: Ids;
  step: StoryStep;
  weight: Weight;
  /** It is null if the record is no event. `occurredAtMs` is the partner's clock, null if it cannot be read. */
  event: { stage: string; occurredAtMs: number | null } | null;
};
export type Telling = Pick<StoryStep, "kind" | "title"> &
  Partial<Pick<StoryStep, "tone" | "payload"> & Pick<StoryRecord, "weight">>;

const MAX_FACT = 1_000;
const MAX_PAYLOAD = 65_536;
const HIDDEN = new Set(["payload", "response", "requestHash", "resultId"]);

const short = (text: string, most: number): string => (text.length > most ? `${text.slice(0, most)}…` : text);

/** The plain values of a record; those whose names end in At are times. */
const factsOf = (values: object): StoryStep["facts"] =>
  Object.entries(values).flatMap(([name, value]: [string, unknown]) => {
    if (HIDDEN.has(name) || value === "") return [];
    if (typeof value !== "string" && typeof value !== "number" && typeof value !== "boolean") return [];
    const isTime = typeof value === "number" && name.endsWith("At");
    return [[name, short(isTime ? iso(value) : String(value), MAX_FACT)] as const];
  });

export const storyRecord = (
  record: Incoming,
  values: object,
  { weight = 0, payload = null, ...telling }: Telling,
): StoryRecord => {
  const fields = values as Readonly<Record<string, unknown>>;
  const textOf = (name: string): string => (typeof fields[name] === "string" ? fields[name] : "");
  const { occurredAt } = fields;
  const occurredAtMs = typeof occurredAt === "number" ? occurredAt : null;
  return {
    ids: Object.fromEntries(ID_NAMES.map((name) => [name, textOf(name)])) as Ids,
    weight,
    event: telling.kind === "event" ? { stage: textOf("stage"), occurredAtMs } : null,
    step: {
      tone: "plain",
      ...telling,
      atMs: record.timestampMs,
      place: placeText(record.topic, record),
      payload: payload === null ? null : short(payload, MAX_PAYLOAD),
      facts: factsOf(values),
    },
  };
};

export type Ending = {
  about: "command" | "transaction";
  id: string;
  tone: StoryStep["tone"];
  sentence: string;
  isDoubt: boolean;
};

const NOT_TAKEN = "No replica has taken it up, as far as was read.";
const IN_DOUBT = "In doubt: nobody knows whether the partner executed it, and a person must find out.";

const commandEnding = (id: string, records: readonly StoryRecord[]): Ending => {
  // If several have the same weight, the last one counts.
  const { weight, step } = records.reduce((most, one) => (one.weight >= most.weight ? one : most));
  const about = "command";
  if (weight === 0) return { about, id, tone: "wait", sentence: NOT_TAKEN, isDoubt: false };
  if (weight === 3) return { about, id, tone: "bad", sentence: IN_DOUBT, isDoubt: true };
  return { about, id, tone: step.tone, sentence: `${step.title} (${step.place}).`, isDoubt: false };
};

const ENDS = ["COMPLETED", "CANCELED", "REFUNDED"];

/** The event that says where a transaction stands, whichever came last: its end, or an issue that began after it. */
const standingOf = (events: readonly StoryRecord[]): StoryRecord | undefined => {
  const timeOf = ({ event, step }: StoryRecord): number => event?.occurredAtMs ?? step.atMs;
  const inOrder = [...events].sort((a, b) => timeOf(a) - timeOf(b));
  const stageOf = ({ event }: StoryRecord): string => event?.stage ?? "";
  const end = inOrder.findLastIndex((one) => ENDS.includes(stageOf(one)));
  if (end >= 0) return inOrder.findLast((one, i) => i > end && stageOf(one) === "ISSUE") ?? inOrder[end];
  return inOrder.findLast((one) => stageOf(one) !== "UNKNOWN") ?? inOrder.at(-1);
};

const transactionEnding = (id: string, events: readonly StoryRecord[]): Ending => {
  const { tone = "plain", title = "" } = standingOf(events)?.step ?? {};
  const which = events.length === 1 ? "Its only status" : `Where it stands, by its ${events.length} statuses`;
  return { about: "transaction", id, tone, sentence: `${which}: ${title}.`, isDoubt: false };
};

export const endingsOf = (all: readonly StoryRecord[]): Ending[] => {
  const commands = Map.groupBy(
    all.filter(({ ids }) => ids.commandId !== ""),
    ({ ids }) => ids.commandId,
  );
  const transactions = Map.groupBy(
    all.filter(({ event }) => event !== null),
    ({ ids }) => ids.transactionId,
  );
  return [
    ...[...commands].map(([id, records]) => commandEnding(id, records)),
    ...[...transactions].map(([id, events]) => transactionEnding(id, events)),
  ];
};
