import { Command } from "commander";
import { setupOptions, topicDemands } from "../kafka/wire/topic-demands.ts";
import { inspect } from "../kafka/cluster/inspect.ts";
import { setUp } from "../kafka/cluster/setup.ts";
import { UsageError } from "../runtime/errors.ts";
import { describeOutage, isRegistryError } from "../kafka/wire/outage.ts";
import { withCluster } from "../kafka/cluster/with-cluster.ts";
import { examples, EXIT, sayWhenStopped, type Exit, type ExitCode, type Io } from "./io.ts";
import { withTool } from "./tool.ts";

const setup = (io: Io, dryRun: boolean): Promise<ExitCode> =>
  withTool(io, async (services) => {
    const { config } = services;
    sayWhenStopped(io);
    await withCluster(services, async (cluster) => {
      // A broker may accept connections and answer nothing.
      await cluster.find([]);
      await setUp(setupOptions(config, dryRun), { ...services, cluster, say: io.out, stopped: io.stopped });
      const { warnings } = await inspect(topicDemands(config), { ...services, cluster });
      if (!dryRun) for (const warning of warnings) io.err(`Warning: ${warning}`);
    }).catch((error: unknown) => {
      throw error instanceof UsageError && isRegistryError(error)
        ? new UsageError(describeOutage(error, config), { cause: error })
        : error;
    });
    return EXIT.done;
  });

export const setupCommand = (io: Io, exit: Exit): Command =>
  new Command("setup")
    .description("Create missing topics, and register schemas.")
    .option("--dry-run", "say what would be done, and do nothing")
    .addHelpText("after", examples("setup --dry-run", "setup"))
    .action(async (flags: { dryRun?: boolean }) => exit(await setup(io, flags.dryRun === true)));
