import type { Purpose } from "../config/config.ts";
import type { ToolServices } from "../operate/tool-services.ts";
import { systemClock } from "../runtime/clock.ts";
import { explainOutage } from "../kafka/wire/outage.ts";
import { createServices } from "../kafka/wire/services.ts";
import { configOf, sayProgress, type Io } from "./io.ts";
import { silent } from "../runtime/log.ts";

/** Where Kafka or the registry does not answer, the command ends with a sentence. */
export const withTool = (
  io: Io,
  work: (tool: ToolServices) => Promise<void>,
  purpose: Purpose = "tool",
): Promise<void> => {
  const config = configOf(io, purpose);
  const services = createServices(config, { clock: systemClock, log: silent });
  const tool = { ...services, warn: io.err, onProgress: sayProgress(io), stopped: io.stopped };
  return explainOutage(config, work(tool), io.stopped);
};
