import type { Command } from "commander";
import { setupOptions } from "../kafka/wire/topic-demands.ts";
import { setUp } from "../kafka/cluster/setup.ts";
import { UsageError } from "../runtime/errors.ts";
import { describeOutage, isRegistryError } from "../kafka/wire/outage.ts";
import { withCluster } from "../kafka/cluster/with-cluster.ts";
import { newCommand, sayWhenStopped, type Io } from "./io.ts";
import { withTool } from "./tool.ts";

const setup = (io: Io, { dryRun = false }: { dryRun?: boolean }): Promise<void> =>
  withTool(io, async (services) => {
    const { config } = services;
    sayWhenStopped(io);
    await withCluster(services, async (cluster) => {
      // A broker may accept connections and answer nothing.
      await cluster.find([]);
      await setUp(setupOptions(config, dryRun), { ...services, cluster, say: io.out, stopped: io.stopped });
    }).catch((error: unknown) => {
      throw error instanceof UsageError && isRegistryError(error)
        ? new UsageError(describeOutage(error, config), { cause: error })
        : error;
    });
  });

export const setupCommand = (io: Io): Command =>
  newCommand("setup", "Create missing topics, and register schemas.", "setup --dry-run", "setup")
    .option("--dry-run", "say what would be done, and do nothing")
    .action((flags: { dryRun?: boolean }) => setup(io, flags));
