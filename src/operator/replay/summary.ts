import { counted } from "../../runtime/counted.ts";
import type { LetterEnd } from "./claims.ts";

const topicOf = (place: string): string => place.slice(0, place.lastIndexOf("["));

/** Says of a letter that was not sent, or perhaps not, why; null of all others. */
export const failureText = (ref: string, end: LetterEnd): string | null => {
  if (end.end === "left") return `${ref} was not replayed: ${end.reason}.`;
  if (end.end === "unknown") return `${ref} may have been replayed, or not: ${end.reason}.`;
  return null;
};

/**
 * Counts what became of a replay's letters, and says it in lines of text.
 * @param again whether letters were sent without looking whether they had been sent before
 */
export const replaySummary = (again: boolean) => {
  const counts = new Map<LetterEnd["end"], number>();
  const topics = new Map<string, { count: number; first: string; last: string }>();
  const of = (end: LetterEnd["end"]): number => counts.get(end) ?? 0;
  return {
    add: (end: LetterEnd): void => {
      counts.set(end.end, of(end.end) + 1);
      if (end.end !== "sent") return;
      const { place } = end;
      const known = topics.get(topicOf(place));
      topics.set(topicOf(place), {
        count: (known?.count ?? 0) + 1,
        first: known?.first ?? place,
        last: place,
      });
    },
    /** Letters that stand in their topics. */
    done: (): number => of("sent") + of("found") + of("duplicate"),
    notDone: (): number => of("left") + of("unknown"),
    lines: (): string[] => [
      ...[...topics].map(
        ([topic, { count, first, last }]) =>
          `${count} written to ${topic}, the first at ${first}, the last at ${last}`,
      ),
      ...(topics.size > 0
        ? []
        : [of("unknown") > 0 ? "Nothing is known to have been written." : "Nothing was written."]),
      ...(of("found") > 0 ? [`${of("found")} stood there already, of a replay that did not finish`] : []),
      ...(of("duplicate") > 0
        ? [`${counted(of("duplicate"), "notification")} had been published already`]
        : []),
      ...(of("left") > 0 ? [`${of("left")} not sent`] : []),
      ...(of("unknown") > 0
        ? [
            `${of("unknown")} may have been written: ${again ? "look for them in their topics before you send them once more" : "run it again in a minute, and it looks before it sends"}`,
          ]
        : []),
    ],
  };
};
