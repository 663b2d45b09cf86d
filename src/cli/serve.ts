import type { Command } from "commander";
import { startBridge } from "../bridge/bridge.ts";
import { createLog } from "../ops/log.ts";
import { systemClock } from "../runtime/clock.ts";
import { configOf, newCommand, untilAborted, type Io } from "./io.ts";

const LAST_LINES_MS = 5_000;

const serve = async (io: Io): Promise<void> => {
  const config = configOf(io, "serve");
  const log = createLog(config.bridge.logLevel, io.ends);
  const flush = (withinMs: number): Promise<void> =>
    systemClock.within(withinMs, undefined, log.flush()).catch(() => undefined);
  try {
    const bridge = await startBridge(config, { clock: systemClock, log, signal: io.stopped });
    await untilAborted(io.stopped);
    const endsAtMs = systemClock.monotonic() + config.bridge.shutdownTimeoutMs;
    await bridge.stop();
    await flush(Math.max(endsAtMs - systemClock.monotonic(), 0));
  } catch (error) {
    await flush(LAST_LINES_MS);
    if (!io.stopped.aborted) throw error;
  }
};

export const serveCommand = (io: Io): Command =>
  newCommand(
    "serve",
    "Run the flows. SIGTERM drains and ends with 0; a second signal ends at once.",
    "serve",
  ).action(() => serve(io));
