import type { Config } from "../../config/config.ts";
import type { Actor } from "../../operator/action.ts";
import { continueUnless, NothingDone } from "../../operator/audit.ts";
import type { FourEyes } from "../../operator/four-eyes.ts";
import { resolve, type ResolvePorts } from "../../operator/resolve-doubt.ts";
import type { ResolveRequest, ResolveOutcome } from "../../operator/resolve-outcome.ts";
import { messageOf, UsageError } from "../../runtime/errors.ts";
import type { Services } from "../services.ts";
import { explainOutage, isRegistryError } from "../outage.ts";
import { openAudit } from "./audit.ts";
import { resolveDoubt } from "./resolve-doubt.ts";

type Options = {
  fourEyes: FourEyes;
  warn: (sentence: string) => void;
  /** Nothing is decided once this aborts, unless the decision is being written. */
  stopped?: AbortSignal;
};

/**
 * Ends a doubt, with an audit entry. If Kafka fails, throws a UsageError that says whether anything was
 * decided.
 */
export const resolveOnce = async (
  config: Config,
  services: Services,
  { fourEyes, warn, stopped }: Options,
  actor: Actor,
  asked: ResolveRequest,
): Promise<ResolveOutcome> => {
  const { audited, close } = await explainOutage(config, openAudit(config, services, warn, stopped));
  const decide: ResolvePorts["decide"] = (...rest) =>
    resolveDoubt(config, services, stopped, ...rest).catch((error: unknown) => {
      if (error instanceof UsageError) throw error;
      continueUnless(stopped);
      const who = isRegistryError(error) ? "the schema registry" : "Kafka";
      throw new NothingDone(
        `The journal could not be read (${messageOf(error)}), and nothing was decided: run it again when ${who} answers.`,
        { cause: error },
      );
    });
  try {
    return await resolve({ audited, decide, fourEyes })(actor, asked);
  } finally {
    await close();
  }
};
