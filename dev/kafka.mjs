// Starts a Kafka and a schema registry to develop against, prints their addresses as environment variables, and stays until Ctrl-C.
import { startLocalCluster } from "./cluster/local.mjs";
import { program } from "./program.mjs";
import { createSteps } from "./terminal/steps.mjs";

await program(async ({ defer, stay }) => {
  const steps = createSteps({ stream: process.stderr });
  const cluster = await startLocalCluster(steps);
  defer(cluster.stop);
  console.log(`KAFKA_BROKERS=${cluster.bootstrapServers}`);
  console.log(`SCHEMA_REGISTRY_URL=${cluster.registryUrl}`);
  steps.line("  running until Ctrl-C");
  await stay();
  return 0;
});
