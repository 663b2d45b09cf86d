// What the journal needs of its topic: a journal that forgets an accept may let a quote be accepted twice.
import type { FoundTopic } from "./cluster.ts";
import { compaction } from "./compaction.ts";
import { sizeLimit } from "./size-limit.ts";
import type { TopicNames } from "./topics.ts";

/** Whether a replica that lacks acknowledged records can become a partition's leader. */
export const UNCLEAN = "unclean.leader.election.enable";
const DAY_MS = 86_400_000;
/** A quote lives for one business day, which may end a day later elsewhere. */
const QUOTE_LIVES_DAYS = 2;

export const journalProblems = (names: TopicNames, found: ReadonlyMap<string, FoundTopic>): string[] => {
  const journal = found.get(names.journal)?.config ?? {};
  const problems: string[] = compaction("journal", names, found);
  if ((journal["message.timestamp.type"] ?? "LogAppendTime") !== "LogAppendTime") {
    problems.push(`Topic ${names.journal} needs message.timestamp.type=LogAppendTime.`);
  }
  problems.push(...sizeLimit("journal", names, found));
  if (journal[UNCLEAN] === "true") {
    problems.push(
      `Topic ${names.journal} may get a leader that lacks its last entries, so that it may forget accepts: set ${UNCLEAN}=false.`,
    );
  }
  const kept = Number(journal["retention.ms"] ?? -1);
  const commandsKept = Number(found.get(names.commands)?.config["retention.ms"] ?? 0);
  if (kept >= 0 && (commandsKept < 0 || kept < 2 * commandsKept)) {
    problems.push(
      `Topic ${names.journal} is kept for less than twice as long as ${names.commands}, so that it may forget an accept whose command is still there: raise its retention.ms.`,
    );
  }
  if (kept >= 0 && kept < QUOTE_LIVES_DAYS * DAY_MS) {
    problems.push(
      `Topic ${names.journal} is kept for less than ${QUOTE_LIVES_DAYS} days, so that it may forget an accept whose quote is still valid: raise its retention.ms.`,
    );
  }
  return problems;
};
