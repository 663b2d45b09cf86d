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
  /** How much it says of what became of a command: 5 the final result, 4 its conclusion, 3 a doubt, 2 a dead letter, 1 a claim. */
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
