import { eachHeader } from "../kafka/headers.ts";
import type { EncodedHeaders } from "../kafka/record.ts";

const PREFIX = "dead-letter-";
const COMMON_NAMES = ["reason", "detail", "source"] as const;
const COMMAND_NAMES = [...COMMON_NAMES, "topic", "partition", "offset", "timestamp"] as const;
const WEBHOOK_NAMES = [...COMMON_NAMES, "received-at"] as const;
const CUT_NAMES = ["cut"] as const;
const MAX_ADDED = COMMAND_NAMES.length + CUT_NAMES.length;

export type AddedName = (typeof COMMAND_NAMES | typeof WEBHOOK_NAMES | typeof CUT_NAMES)[number];

type Unwrapped = { added: ReadonlyMap<AddedName, string>; original: EncodedHeaders };

const endsWith = (names: readonly string[], wanted: readonly AddedName[]): boolean =>
  names.length >= wanted.length &&
  wanted.every((name, i) => names[names.length - wanted.length + i] === PREFIX + name);

/** A sender may use the same names, so only the last headers, in our order, are the bridge's. Returns null if it wrote none. */
export const unwrap = (headers: EncodedHeaders): Unwrapped | null => {
  const last: { name: string; value: string; begin: number }[] = [];
  let nth = 0;
  let begin = 0;
  for (const [name, value, end] of eachHeader(headers)) {
    nth += 1;
    if (nth > headers.count - MAX_ADDED)
      last.push({ name: name.toString(), value: value?.toString() ?? "", begin });
    begin = end;
  }
  const names = last.map(({ name }) => name);
  const cutNames = endsWith(names, CUT_NAMES) ? CUT_NAMES : [];
  const before = names.slice(0, names.length - cutNames.length);
  const letterNames = [COMMAND_NAMES, WEBHOOK_NAMES].find((each) => endsWith(before, each));
  if (letterNames === undefined) return null;
  const ownHeaders = last.slice(before.length - letterNames.length);
  return {
    added: new Map(ownHeaders.map(({ name, value }) => [name.slice(PREFIX.length) as AddedName, value])),
    original: {
      count: headers.count - ownHeaders.length,
      bytes: headers.bytes.subarray(0, ownHeaders[0]?.begin ?? 0),
    },
  };
};
