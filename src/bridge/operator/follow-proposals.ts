import { quoteKey } from "../../commands-to-results/quote-key.ts";
import type { Config } from "../../config/config.ts";
import {
  createDecisionRequests,
  readRequestEntry,
  PROPOSAL_MS,
  type DecisionRequests,
} from "../../operator/decision-requests.ts";
import type { FourEyes } from "../../operator/four-eyes.ts";
import { messageOf, UsageError } from "../../runtime/errors.ts";
import { placeText } from "../../runtime/record-position.ts";
import type { Services } from "../services.ts";
import { AUDIT_PARTITION, followAudit, type FollowedAudit } from "./follow-audit.ts";

/** Tolerated skew between this machine's clock and the brokers'. */
const SKEW_MS = 3_600_000;

/** Proposals for decisions, from the audit topic: read when first asked for, then followed until `close`. */
export type FollowedProposals = FourEyes & {
  /** The proposals in the audit topic as of now. */
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
  services: Services,
  ends: (() => Promise<void>)[],
  signal: AbortSignal,
): Promise<Opened> => {
  let requests = createDecisionRequests(quoteKey);
  const cluster = await services.connectCluster();
  ends.push(() => cluster.close());
  const { close, ...followed } = await followAudit(
    { config, services, cluster, signal },
    {
      sinceMs: () => services.clock.now() - PROPOSAL_MS - SKEW_MS,
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

/** Its functions throw a UsageError if the audit topic cannot be read or does not order its entries. */
export const followProposals = (config: Config, services: Services): FollowedProposals => {
  const closed = new AbortController();
  const ends: (() => Promise<void>)[] = [];
  let opened: Promise<Opened> | null = null;
  const end = async (): Promise<void> => {
    for (let close = ends.pop(); close; close = ends.pop()) await close();
  };
  const reading = (): Promise<Opened> => {
    opened ??= open(config, services, ends, closed.signal).catch(async (error: unknown) => {
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
