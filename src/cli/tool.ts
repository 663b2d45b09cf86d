import { createServices, type Services } from "../services/services.ts";
import type { Config, Purpose } from "../config/config.ts";
import { systemClock } from "../runtime/clock.ts";
import { configOf, type Io } from "./io.ts";
import { silent } from "./silent.ts";

/** The configuration of a command that writes sentences instead of a log, and what it needs to ask Kafka. */
export const openTool = (io: Io, purpose: Purpose = "tool"): { config: Config; services: Services } => {
  const config = configOf(io, purpose);
  return { config, services: createServices(config, systemClock, silent) };
};
