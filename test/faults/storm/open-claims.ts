import { decode } from "../../support/avro.ts";
import { followTopics, type TopicRecord } from "../../support/follow-topics.ts";
import type { World } from "../../support/world.ts";

type Step = {
  "cambio.bridge.v1.Claimed"?: { attemptId: string };
  "cambio.bridge.v1.Released"?: { attemptId: string };
  "cambio.bridge.v1.Concluded"?: { attemptId: string | null; outcome: string };
};
type Entry = { commandId: string; step: Step };
type Attempt = { commandId: string; claimedAt: number; endedAt: number };

/** A claim that is on its way to the log when its owner is hit gets there a little later. */
const ON_ITS_WAY_MS = 1_000;

export type Claims = {
  /** Claims that stood open at an instant, whoever held them: those of owners that were hit before, too. */
  openAt: (instant: number) => number;
  /** Commands of which no claim stood open at any of these instants. */
  notOpenAt: (instants: readonly number[], commandIds: readonly string[]) => string[];
};

/** Keeps the books about the claims in the journal's records, read from outside. Instants are those of the log. */
export const claimBook = (): Claims & { see: (record: TopicRecord) => void } => {
  const attempts = new Map<string, Attempt>();
  const end = (attemptId: string | null | undefined, instant: number): void => {
    const attempt = attempts.get(attemptId ?? "");
    if (attempt && instant < attempt.endedAt) attempt.endedAt = instant;
  };
  const isOpenAt = ({ claimedAt, endedAt }: Attempt, instant: number, laterMs: number): boolean =>
    claimedAt <= instant + laterMs && endedAt >= instant;

  return {
    see: (record) => {
      const { commandId, step } = decode("command-journal-entry", record.value) as Entry;
      const instant = record.timestampMs;
      const claimed = step["cambio.bridge.v1.Claimed"];
      if (claimed && !attempts.has(claimed.attemptId))
        attempts.set(claimed.attemptId, { commandId, claimedAt: instant, endedAt: Infinity });
      end(step["cambio.bridge.v1.Released"]?.attemptId, instant);
      end(step["cambio.bridge.v1.Concluded"]?.attemptId, instant);
    },
    openAt: (instant) => [...attempts.values()].filter((attempt) => isOpenAt(attempt, instant, 0)).length,
    notOpenAt: (instants, commandIds) => {
      const open = new Set<string>();
      for (const attempt of attempts.values())
        if (instants.some((instant) => isOpenAt(attempt, instant, ON_ITS_WAY_MS)))
          open.add(attempt.commandId);
      return commandIds.filter((commandId) => !open.has(commandId));
    },
  };
};

/** Follows the journal until the world ends, to know which claims were open at the moment of a fault. */
export const followClaims = async ({ brokers, topics, defer }: World): Promise<Claims> => {
  const { see, ...book } = claimBook();
  defer(await followTopics(brokers, [topics.journal], see));
  return book;
};
