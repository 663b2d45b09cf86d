import { Command } from "commander";
import { setupOptions } from "../kafka/wire/topic-demands.ts";
import type { FoundTopic } from "../kafka/cluster/cluster.ts";
import { setUp } from "../kafka/cluster/setup.ts";
import { topicPlans } from "../kafka/cluster/topics.ts";
import { UsageError } from "../runtime/errors.ts";
import { describeOutage, isRegistryError } from "../kafka/wire/outage.ts";
import { withCluster } from "../kafka/cluster/with-cluster.ts";
import { examples, EXIT, sayWhenStopped, type Exit, type ExitCode, type Io } from "./io.ts";
import { withTool } from "./tool.ts";

/** Whether the loss of one broker can take acknowledged records. Without the right to read them, settings do not count. */
const isThin = ({ replicationFactor, config }: FoundTopic): boolean =>
  replicationFactor < 3 || Number(config["min.insync.replicas"] ?? 2) < 2;
const THIN =
  "can lose acknowledged records with one broker, and with those of the journal a quote can be accepted twice. Where " +
  "money moves, give all topics 3 replicas and min.insync.replicas=2.";

const setup = (io: Io, dryRun: boolean): Promise<ExitCode> =>
  withTool(io, async (services) => {
    const { config } = services;
    sayWhenStopped(io);
    await withCluster(services, async (cluster) => {
      // A broker may accept connections and answer nothing.
      await cluster.find([]);
      await setUp(setupOptions(config, dryRun), { ...services, cluster, say: io.out, stopped: io.stopped });
      const thin = [
        ...(await cluster.find(topicPlans(config.topics).map(({ name }) => name))).values(),
      ].filter(isThin);
      const names = thin.map(({ name }) => name).join(", ");
      if (thin.length > 0 && !dryRun) io.err(`Warning: ${names} ${THIN}`);
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
