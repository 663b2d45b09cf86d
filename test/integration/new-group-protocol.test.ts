import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { cacheFolder } from "../../dev/cluster/cache.mjs";
import { sharedCluster } from "../support/cluster.ts";
import { eventually } from "../support/eventually.ts";
import { openWorld } from "../support/world.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const MEMBER = `
import java.time.Duration; import java.util.*; import org.apache.kafka.clients.consumer.*;
public class Member {
  public static void main(String[] args) {
    var bytes = "org.apache.kafka.common.serialization.ByteArrayDeserializer";
    var settings = new HashMap<String, Object>(Map.of("bootstrap.servers", args[0], "group.id", args[1],
      "group.protocol", "consumer", "enable.auto.commit", "false", "key.deserializer", bytes, "value.deserializer", bytes));
    try (var consumer = new KafkaConsumer<byte[], byte[]>(settings)) {
      consumer.subscribe(List.of(args[2]));
      while (true) consumer.poll(Duration.ofMillis(200));
    }
  }
}`;

test("status says what is true where a member uses Kafka's new group protocol", async ({ skip }) => {
  const jars = join(cacheFolder(), "kafka-4.3.1", "lib");
  if (!existsSync(jars) || process.env["CAMBIO_BRIDGE_KAFKA"])
    return skip("it takes Kafka 4, and its classes");
  const world = await openWorld(sharedCluster(), { settings: { FLOWS: "commands" } });
  onTestFinished(world.close);
  await world.startReady();
  const status = async (): Promise<string> => (await world.run(["status"])).out;
  expect(await status()).toMatch(/Stable, 1 member/);

  const file = join(temporaryFolder(), "Member.java");
  await writeFile(file, MEMBER);
  const { brokers, groupId, topics } = world;
  const member = spawn(
    "java",
    ["-cp", join(jars, "*"), file, brokers.split(",")[0]!, groupId, topics.commands],
    { stdio: "ignore" },
  );
  onTestFinished(() => void member.kill());

  await eventually(
    async () => expect(await status()).toContain("a program in it uses Kafka's new group protocol"),
    "status to see it",
    60_000,
  );
  expect(await status()).not.toContain("NOBODY TAKES COMMANDS");
});
