import type { Command } from "commander";
import { startBridge } from "../bridge/bridge.ts";
import { createLog } from "../ops/log.ts";
import { systemClock } from "../runtime/clock.ts";
import { configOf, newCommand, untilAborted, type Io } from "./io.ts";

const LAST_LINES_MS = 5_000;

const serve = async (io: Io): Promise<void> => {
  const config = configOf(io, "serve");
  const log = createLog(config.bridge.logLevel, io.ends);
  let leftMs = (): number => LAST_LINES_MS;
  try {
    const bridge = await startBridge(config, { clock: systemClock, log, signal: io.stopped });
    await untilAborted(io.stopped);
    const until = systemClock.monotonic() + config.bridge.shutdownTimeoutMs;
    leftMs = () => Math.max(until - systemClock.monotonic(), 0);
    await bridge.stop();
  } catch (error) {
    if (!io.stopped.aborted) throw error;
  } finally {
    await systemClock.within(leftMs(), undefined, log.flush()).catch(() => undefined);
  }
};

export const serveCommand = (io: Io): Command =>
  newCommand(
    "serve",
    "Run the flows. SIGTERM drains and ends with 0; a second signal ends at once.",
    "serve",
  ).action(() => serve(io));
