import { quoteKey } from "../../commands-to-results/quote-key.ts";
import type { Config } from "../../config/config.ts";
import {
  createDecisionRequests,
  readRequestEntry,
  PROPOSAL_MS,
  type DecisionRequests,
} from "../../operator/decision-requests.ts";
import type { FourEyes } from "../../operator/four-eyes.ts";
import { placeText } from "../../operator/replay/dead-letter.ts";
import { messageOf, UsageError } from "../../runtime/errors.ts";
import type { Kit } from "../kit.ts";
import { AUDIT_PARTITION, followAudit, type FollowedAudit } from "./follow-audit.ts";

/** So far the clock of this machine may be ahead of the brokers'. */
const SKEW_MS = 3_600_000;

/** What people asked for to be decided: read from the first question on, and followed from then on while it is open. */
export type RequestsTopic = FourEyes & {
  /** All that stands in the audit topic now. */
  current: () => Promise<DecisionRequests>;
  close: () => Promise<void>;
};

type Opened = {
  requests: () => DecisionRequests;
  untilRead: FollowedAudit["untilRead"];
  untilCurrent: () => Promise<void>;
};

const open = async (
  config: Config,
  kit: Kit,
  ends: (() => Promise<void>)[],
  signal: AbortSignal,
): Promise<Opened> => {
  let requests = createDecisionRequests(quoteKey);
  const cluster = await kit.connectCluster();
  ends.push(() => cluster.close());
  const { close, ...followed } = await followAudit(
    { config, kit, cluster, signal },
    {
      sinceMs: () => kit.clock.now() - PROPOSAL_MS - SKEW_MS,
      forget: () => {
        requests = createDecisionRequests(quoteKey);
      },
      take: (text, { offset, timestampMs: atMs }) =>
        requests.take(readRequestEntry(text, { place: { partition: AUDIT_PARTITION, offset }, atMs })),
    },
  );
  ends.push(close);
  return { ...followed, requests: () => requests };
};

const unread = (error: unknown): never => {
  if (error instanceof UsageError) throw error;
  throw new UsageError(
    `What others asked for cannot be read from the audit topic (${messageOf(error)}), and without it nothing is decided: run it again when Kafka answers.`,
    { cause: error },
  );
};

/** What is asked throws a UsageError when the audit topic cannot be read, or does not say in which order and when its entries came. */
export const requestsTopic = (config: Config, kit: Kit): RequestsTopic => {
  const closed = new AbortController();
  const ends: (() => Promise<void>)[] = [];
  let opened: Promise<Opened> | null = null;
  const end = async (): Promise<void> => {
    for (let close = ends.pop(); close; close = ends.pop()) await close();
  };
  const reading = (): Promise<Opened> => {
    opened ??= open(config, kit, ends, closed.signal).catch(async (error: unknown) => {
      await end();
      opened = null;
      throw error;
    });
    return opened;
  };
  const read = async (until: (opened: Opened) => Promise<void>): Promise<DecisionRequests> => {
    try {
      const open = await reading();
      await until(open);
      return open.requests();
    } catch (error) {
      return unread(error);
    }
  };
  return {
    isWanted: config.console.fourEyes,
    readUpTo: ({ offset }) => read(({ untilRead }) => untilRead(offset)),
    current: () => read(({ untilCurrent }) => untilCurrent()),
    placeText: (place) => placeText(config.topics.audit, place),
    close: async () => {
      closed.abort(new Error("closed"));
      await opened?.catch(() => undefined);
      await end();
    },
  };
};
