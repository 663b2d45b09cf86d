import type { LetterDetail } from "../../../console/ports.ts";
import { eachHeader } from "../../../kafka/headers.ts";
import type { EncodedHeaders } from "../../../kafka/record.ts";
import type { Reread } from "../../../kafka/consume/reread.ts";
import { readRef } from "../../../operator/replay/dead-letter.ts";
import { messageOf } from "../../../runtime/errors.ts";
import { holds, lettersAt, loadLetter, type LetterDeps } from "../../operator/dead-letters.ts";
import { truncate } from "../truncate.ts";
import { rangesOf } from "../ranges.ts";
import { replaysOf } from "./letter-replays.ts";

const MAX_HEADERS = 1_000;
const MAX_HEADER_LENGTH = 65_536;

const headersOf = (headers: EncodedHeaders): (readonly [string, string])[] => {
  const shown: (readonly [string, string])[] = [];
  for (const [name, value] of eachHeader(headers)) {
    if (shown.length === MAX_HEADERS) {
      shown.push(["…", `${headers.count - MAX_HEADERS} headers more`]);
      break;
    }
    const text = value === null ? "null" : truncate(value.toString("utf8"), MAX_HEADER_LENGTH);
    shown.push([truncate(name.toString("utf8"), MAX_HEADER_LENGTH), text]);
  }
  return shown;
};

/** A dead letter with its content and its replays. Null where the topic holds no such letter. */
export const letterDetail = async (
  deps: LetterDeps,
  reread: Reread,
  ref: string,
): Promise<LetterDetail | null> => {
  const place = readRef(ref);
  const topic = deps.config.topics.deadLetters;
  if (place === null || !holds(await rangesOf(deps.cluster, topic), place)) return null;
  const [letter] = await lettersAt(deps, [place]);
  if (!letter) return null;
  const notKnown = (error: unknown): string[] => {
    deps.signal.throwIfAborted();
    return [`Whether it was replayed is not known: ${messageOf(error)}.`];
  };
  const [loaded, replayed] = await Promise.all([
    letter.missing === null ? loadLetter(reread, letter) : null,
    replaysOf(deps, letter).catch(notKnown),
  ]);
  const { key = null, value = null, headers } = loaded?.original ?? {};
  const gone = letter.missing === null && loaded === null;
  return {
    letter,
    key,
    value,
    headers: headers ? headersOf(headers) : [],
    replayed: gone ? [...replayed, `${topic} does not hold all of it any more.`] : replayed,
  };
};
