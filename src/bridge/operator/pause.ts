import type { Config } from "../../config/config.ts";
import type { Actor } from "../../operator/action.ts";
import { pauseOrResume, type PauseRequest, type PauseResult } from "../../operator/pause.ts";
import type { Kit } from "../kit.ts";
import { orUnanswered } from "../unanswered.ts";
import { openAudit } from "./audit.ts";
import { controlTopic } from "./control-topic.ts";

/** Pauses or resumes a flow for a person. Throws a UsageError when Kafka does not answer. */
export const pauseOnce = async (
  config: Config,
  kit: Kit,
  warn: (sentence: string) => void,
  actor: Actor,
  asked: PauseRequest,
): Promise<PauseResult> => {
  const { audited, close } = await orUnanswered(config, openAudit(config, kit, warn));
  try {
    const ports = { audited, ...controlTopic(config, kit, warn), now: kit.clock.now };
    return await orUnanswered(config, pauseOrResume(ports)(actor, asked));
  } finally {
    await close();
  }
};
