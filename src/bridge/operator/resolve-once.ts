import type { Config } from "../../config/config.ts";
import type { Actor } from "../../operator/action.ts";
import type { FourEyes } from "../../operator/four-eyes.ts";
import { resolve, type ResolvePorts } from "../../operator/resolve-doubt.ts";
import type { ResolveRequest, ResolveOutcome } from "../../operator/resolve-outcome.ts";
import { messageOf, UsageError } from "../../runtime/errors.ts";
import type { Kit } from "../kit.ts";
import { orUnanswered } from "../unanswered.ts";
import { openAudit } from "./audit.ts";
import { resolveDoubt } from "./resolve.ts";

type Options = {
  fourEyes: FourEyes;
  warn: (sentence: string) => void;
};

/** Ends a doubt for a person. Throws a UsageError when Kafka does not let it finish, which says whether anything was decided. */
export const resolveOnce = async (
  config: Config,
  kit: Kit,
  { fourEyes, warn }: Options,
  actor: Actor,
  asked: ResolveRequest,
): Promise<ResolveOutcome> => {
  const { audited, close } = await orUnanswered(config, openAudit(config, kit, warn));
  const decide: ResolvePorts["decide"] = (...rest) =>
    resolveDoubt(config, kit, ...rest).catch((error: unknown) => {
      if (error instanceof UsageError) throw error;
      throw new UsageError(
        `The journal could not be read (${messageOf(error)}), and nothing was decided: run it again when Kafka answers.`,
        { cause: error },
      );
    });
  try {
    return await resolve({ audited, decide, fourEyes })(actor, asked);
  } finally {
    await close();
  }
};
