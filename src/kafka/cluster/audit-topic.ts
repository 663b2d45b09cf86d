// What the commands of people need of the audit topic. `serve` does not use it.
import type { FoundTopic } from "./cluster.ts";
import { compaction } from "./compaction.ts";
import type { TopicNames } from "./topics.ts";

/**
 * Replays are claimed in the audit topic, and four eyes find proposals there: both refuse to work where its
 * times are not the broker's.
 */
export const auditProblems = (names: TopicNames, found: ReadonlyMap<string, FoundTopic>): string[] => {
  const audit = found.get(names.audit)?.config ?? {};
  const problems: string[] = compaction("audit", names, found);
  if ((audit["message.timestamp.type"] ?? "LogAppendTime") !== "LogAppendTime")
    problems.push(
      `Topic ${names.audit} has the times of its writers, so that no dead letter is replayed and nobody can approve with four eyes: set message.timestamp.type=LogAppendTime.`,
    );
  return problems;
};

/**
 * No entry is larger. The largest are the claims of a batch of dead letters; others hold a name, a note and
 * identifiers.
 */
export const AUDIT_ENTRY_BYTES = 131_072;

export const auditWarnings = (names: TopicNames, found: ReadonlyMap<string, FoundTopic>): string[] => {
  const audit = found.get(names.audit)?.config ?? {};
  const warnings: string[] = [];
  const largest = Number(audit["max.message.bytes"] ?? Infinity);
  if (largest < AUDIT_ENTRY_BYTES)
    warnings.push(
      `Topic ${names.audit} accepts records of at most ${largest} bytes, too few for its largest entries, so that an action may be refused or its outcome be lost: set max.message.bytes=${AUDIT_ENTRY_BYTES} or more.`,
    );
  const kept = Number(audit["retention.ms"] ?? -1);
  const lettersKept = Number(found.get(names.deadLetters)?.config["retention.ms"] ?? 0);
  // A replay that is forgotten before its dead letter is could be done again.
  if (kept >= 0 && (lettersKept < 0 || kept < lettersKept))
    warnings.push(
      `Topic ${names.audit} is kept for less time than ${names.deadLetters}, so that a dead letter may be replayed twice: raise its retention.ms.`,
    );
  return warnings;
};
