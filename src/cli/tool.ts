import type { Purpose } from "../config/config.ts";
import type { Tools } from "../operate/tools.ts";
import { systemClock } from "../runtime/clock.ts";
import { explainOutage } from "../kafka/wire/outage.ts";
import { createServices } from "../kafka/wire/services.ts";
import { configOf, sayProgress, type Io } from "./io.ts";
import { silent } from "../runtime/log.ts";

/** Where Kafka or the registry does not answer, the command ends with a sentence. */
export const withTool = (
  io: Io,
  work: (tools: Tools) => Promise<void>,
  purpose: Purpose = "tool",
): Promise<void> => {
  const config = configOf(io, purpose);
  const services = createServices(config, { clock: systemClock, log: silent });
  const tools = { ...services, warn: io.err, onProgress: sayProgress(io), stopped: io.stopped };
  return explainOutage(config, work(tools), io.stopped);
};
