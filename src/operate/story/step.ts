import type { Incoming } from "../../kafka/record.ts";
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
};

/** What a record is about; empty where it does not say. */
export type Ids = { commandId: string; quoteId: string; externalId: string; transactionId: string };

export type Found = { ids: Ids; step: Step };

const NO_IDS: Ids = { commandId: "", quoteId: "", externalId: "", transactionId: "" };

const MAX_FACT = 1_000;
const MAX_PAYLOAD = 65_536;

const short = (text: string, most: number): string => (text.length > most ? `${text.slice(0, most)}…` : text);

type Told = Partial<Omit<Step, "atMs" | "place" | "facts">> &
  Pick<Step, "kind" | "title"> & {
    facts?: Readonly<Record<string, string | number | boolean | null | undefined>>;
  };

/** The step of a record. Facts without a value are left out. */
export const found = (
  { topic, timestampMs, ...record }: Incoming,
  ids: { [Name in keyof Ids]?: string | null | undefined },
  { facts = {}, payload = null, ...told }: Told,
): Found => ({
  ids: {
    commandId: ids.commandId ?? NO_IDS.commandId,
    quoteId: ids.quoteId ?? NO_IDS.quoteId,
    externalId: ids.externalId ?? NO_IDS.externalId,
    transactionId: ids.transactionId ?? NO_IDS.transactionId,
  },
  step: {
    tone: "plain",
    isMachinery: false,
    ...told,
    atMs: timestampMs,
    place: placeText(topic, record),
    payload: payload === null ? null : short(payload, MAX_PAYLOAD),
    facts: Object.entries(facts).flatMap(([name, value]) =>
      value === null || value === undefined || value === ""
        ? []
        : [[name, short(String(value), MAX_FACT)] as const],
    ),
  },
});
