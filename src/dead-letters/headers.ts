import { eachHeader } from "../kafka/headers.ts";
import type { EncodedHeaders } from "../kafka/record.ts";

const PREFIX = "dead-letter-";
const ANY = ["reason", "detail", "source"] as const;
const OF_COMMAND = [...ANY, "topic", "partition", "offset", "timestamp"] as const;
const OF_WEBHOOK = [...ANY, "received-at"] as const;
const OF_CUT = ["cut"] as const;
const MOST = OF_COMMAND.length + OF_CUT.length;

export type AddedName = (typeof OF_COMMAND | typeof OF_WEBHOOK | typeof OF_CUT)[number];

type Unwrapped = { added: ReadonlyMap<AddedName, string>; original: EncodedHeaders };

const atEnd = (names: readonly string[], wanted: readonly AddedName[]): boolean =>
  names.length >= wanted.length &&
  wanted.every((name, i) => names[names.length - wanted.length + i] === PREFIX + name);

/** A sender may use the same names, so only the last headers, in our order, are ours. Null if the bridge wrote none. */
export const unwrap = (headers: EncodedHeaders): Unwrapped | null => {
  const last: { name: string; value: string; begin: number }[] = [];
  let nth = 0;
  let begin = 0;
  for (const [name, value, end] of eachHeader(headers)) {
    nth += 1;
    if (nth > headers.count - MOST)
      last.push({ name: name.toString(), value: value?.toString() ?? "", begin });
    begin = end;
  }
  const names = last.map(({ name }) => name);
  const ofCut = atEnd(names, OF_CUT) ? OF_CUT : [];
  const before = names.slice(0, names.length - ofCut.length);
  const ofLetter = [OF_COMMAND, OF_WEBHOOK].find((each) => atEnd(before, each));
  if (ofLetter === undefined) return null;
  const ours = last.slice(before.length - ofLetter.length);
  return {
    added: new Map(ours.map(({ name, value }) => [name.slice(PREFIX.length) as AddedName, value])),
    original: {
      count: headers.count - ours.length,
      bytes: headers.bytes.subarray(0, ours[0]?.begin ?? 0),
    },
  };
};
