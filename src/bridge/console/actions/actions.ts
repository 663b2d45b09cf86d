import type { Config } from "../../../config/config.ts";
import type { Actions } from "../../../console/ports.ts";
import type { Actor } from "../../../operator/action.ts";
import { PROPOSAL_MS } from "../../../operator/decision-requests.ts";
import { requireOperator } from "../../../operator/forbidden.ts";
import type { ResolveRequest, ResolveOutcome } from "../../../operator/resolve-outcome.ts";
import { UsageError } from "../../../runtime/errors.ts";
import type { Services } from "../../services.ts";
import { pauseOnce } from "../../operator/pause.ts";
import { followProposals } from "../../operator/follow-proposals.ts";
import { resolveOnce } from "../../operator/resolve-once.ts";
import { openReplays } from "./replays.ts";

/** Each decision reads the journal, which may be long. */
const MAX_DECISIONS = 2;

/** A decision that takes longer may end or not; the next request finds what the journal holds. */
const STOP_TIMEOUT_MS = 15_000;

type Decision = { asking: string; ended: Promise<ResolveOutcome> };

/** What people can do in the console. Opens no connection before the first action. */
export const openActions = (
  config: Config,
  services: Services,
  { warn }: { warn: (sentence: string) => void },
): Actions & { close: () => Promise<void> } => {
  const requests = followProposals(config, services);
  const replays = openReplays(config, services, warn);
  const decisions = new Map<string, Decision>();

  const decide = async (actor: Actor, asked: ResolveRequest): Promise<ResolveOutcome> => {
    requireOperator(actor);
    const { commandId } = asked;
    const asking = JSON.stringify([actor.by, actor.note, asked.quoteId, asked.as, asked.force]);
    const underWay = decisions.get(commandId);
    // A double click gets the same outcome.
    if (underWay?.asking === asking) return underWay.ended;
    if (underWay)
      throw new UsageError(
        `Another decision on command ${commandId} is under way, so yours was not taken: wait for its outcome.`,
      );
    if (decisions.size >= MAX_DECISIONS)
      throw new UsageError(
        `${decisions.size} decisions on other commands are under way, so yours was not taken: try again in a minute.`,
      );
    const ended = resolveOnce(config, services, { fourEyes: requests, warn }, actor, asked).finally(() =>
      decisions.delete(commandId),
    );
    decisions.set(commandId, { asking, ended });
    return ended;
  };

  return {
    ...replays,
    resolve: decide,

    proposals: async (commandId) => {
      if (!requests.isWanted) return [];
      const proposed = (await requests.current()).proposals(commandId, services.clock.now());
      return proposed.map(({ by, as, note, atMs, place, quoteId }) => ({
        by,
        as,
        note,
        atMs,
        quoteId,
        untilMs: atMs + PROPOSAL_MS,
        place: { topic: config.topics.audit, ...place },
      }));
    },

    pause: async (actor, flow, untilMs) => {
      requireOperator(actor);
      if (untilMs !== null && untilMs <= services.clock.now())
        throw new UsageError("The pause would be over already: name a later time.");
      return pauseOnce(config, services, warn, actor, { flow, says: "pause", untilMs });
    },
    resume: async (actor, flow) => {
      requireOperator(actor);
      return pauseOnce(config, services, warn, actor, { flow, says: "resume", untilMs: null });
    },

    close: async () => {
      const decided = [...decisions.values()].map(({ ended }) => ended);
      const over = services.clock.within(STOP_TIMEOUT_MS, undefined, Promise.allSettled(decided));
      await Promise.all([replays.close(), over.catch(() => undefined)]);
      await requests.close();
    },
  };
};
