import { Command } from "commander";
import { describeOutage, explainOutage, isRegistryError } from "../services/outage.ts";
import { setupOptions } from "../services/topic-demands.ts";
import { setUp } from "../kafka/cluster/setup.ts";
import { UsageError } from "../runtime/errors.ts";
import { examples } from "./help.ts";
import { EXIT, type ExitCode, type Io, sayWhenStopped } from "./io.ts";
import { openTool } from "./tool.ts";

const setup = async (io: Io, dryRun: boolean): Promise<ExitCode> => {
  const { config, services } = openTool(io);
  sayWhenStopped(io);
  const cluster = await explainOutage(config, services.connectCluster());
  try {
    // A broker may accept connections and answer nothing.
    await explainOutage(config, cluster.find([]));
    await setUp(setupOptions(config, dryRun), { ...services, cluster, say: io.out, stopped: io.stopped });
    return EXIT.done;
  } catch (error) {
    throw error instanceof UsageError && isRegistryError(error)
      ? new UsageError(describeOutage(error, config), { cause: error })
      : error;
  } finally {
    await cluster.close();
  }
};

export const setupCommand = (io: Io, exit: (code: ExitCode) => void): Command =>
  new Command("setup")
    .description("Create missing topics, and register schemas.")
    .option("--dry-run", "say what would be done, and do nothing")
    .addHelpText("after", examples("setup --dry-run", "setup"))
    .action(async (flags: { dryRun?: boolean }) => exit(await setup(io, flags.dryRun === true)));
