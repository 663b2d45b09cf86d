import type { Config } from "../../../config/config.ts";
import { iso } from "../../../runtime/instant.ts";
import type { Coverage } from "./coverage.ts";
import { TIMELINE_LIMITS } from "./timeline.ts";

type SearchState = {
  topics: Config["topics"];
  coverage: Pick<Coverage, "partitions">;
  sizes: ReadonlyMap<string, number>;
  isComplete: boolean;
  isCut: boolean;
  /** Whether older records were not read because the history is complete. */
  isEnough: boolean;
  hasCommand: boolean;
  sinceMs: number | null;
};

export const TRUNCATED = `It is too long to be shown: the newest ${TIMELINE_LIMITS.maxCount} entries, or fewer where they are large.`;

const searched = (topic: string, { coverage, sizes }: SearchState): string => {
  const partitions = coverage.partitions(topic);
  const all = sizes.get(topic) ?? 0;
  return partitions.length === all
    ? `${topic}: all ${all} partitions`
    : `${topic}: partition ${partitions.join(", ")} of ${all}`;
};

/** How far back the topics were searched, and why no further. */
const reach = ({ sinceMs, isEnough }: SearchState): string[] => {
  if (sinceMs === null) return [];
  if (sinceMs === -Infinity) return ["Everything that the topics still hold was searched there."];
  const why = isEnough ? ": the command, its claims and its final result stand behind that time" : "";
  return [`Nothing older than ${iso(sinceMs)} was searched${why}.`];
};

/** Sentences about the search for a command's history: where it looked, and what it did not find. */
export const commandNotes = (facts: SearchState): string[] => {
  const { topics, sizes, isComplete, isCut, hasCommand } = facts;
  const { commands, journal, results, deadLetters } = topics;
  if (sizes.size === 0) return [];
  const where = [results, journal, commands, deadLetters].map((topic) => searched(topic, facts));
  return [
    `Searched ${isComplete ? "" : "so far "}in ${where.join("; ")}.`,
    ...reach(facts),
    ...(isComplete && !hasCommand
      ? [
          `The record of the command was not found: ${commands} may have deleted it already, or it was never written.`,
        ]
      : []),
    ...(isCut ? [TRUNCATED] : []),
  ];
};
