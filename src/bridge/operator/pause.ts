import type { Config } from "../../config/config.ts";
import type { Actor } from "../../operator/action.ts";
import { pauseOrResume, type PauseRequest, type PauseResult } from "../../operator/pause.ts";
import type { Services } from "../services.ts";
import { explainOutage } from "../outage.ts";
import { openAudit } from "./audit.ts";
import { controlTopic } from "./control-topic.ts";

/** Pauses or resumes a flow, with an audit entry. Throws a UsageError if Kafka does not answer, or if it is stopped before it begins. */
export const pauseOnce = async (
  config: Config,
  services: Services,
  warn: (sentence: string) => void,
  actor: Actor,
  asked: PauseRequest,
  stopped?: AbortSignal,
): Promise<PauseResult> => {
  const { audited, close } = await explainOutage(config, openAudit(config, services, warn, stopped));
  try {
    const ports = { audited, ...controlTopic(config, services, warn), now: services.clock.now };
    return await explainOutage(config, pauseOrResume(ports)(actor, asked));
  } finally {
    await close();
  }
};
