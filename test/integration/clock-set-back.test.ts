import { randomUUID } from "node:crypto";
import { expect, inject, it, onTestFinished, vi } from "vitest";
import { silent } from "../../src/cli/silent.ts";
import { newClient } from "../../src/kafka/client.ts";
import { joinGroup } from "../../src/kafka/consume/group.ts";
import { systemClock } from "../../src/runtime/clock.ts";
import { eventually } from "../support/eventually.ts";
import { askAdmin } from "../support/kafka.ts";

const HOUR_MS = 3_600_000;
const SESSION_MS = 6_000;

it("a replica stays a member of its group after the clock was set back by an hour", async () => {
  const brokers = inject("kafkaBrokers");
  const topic = `clock-${randomUUID()}`;
  await askAdmin(brokers, (admin) => admin.createTopics({ topics: [{ topic, numPartitions: 1 }] }));
  const group = joinGroup({ topic, groupId: topic, sessionTimeoutMs: SESSION_MS }, () => undefined, {
    newClient: newClient({ brokers: brokers.split(","), clientId: "test", tls: false, sasl: null }, silent),
    clock: systemClock,
    log: silent,
    random: () => 0,
  });
  onTestFinished(() => group.stop());
  await eventually(() => group.state().up, "the replica to join", 30_000);

  const now = Date.now.bind(Date);
  vi.spyOn(Date, "now").mockImplementation(() => now() - HOUR_MS);
  onTestFinished(() => void vi.restoreAllMocks());
  const setBackAt = systemClock.monotonic();
  await eventually(
    () => {
      expect(group.lastHeartbeat()).toBeGreaterThan(setBackAt + SESSION_MS);
      expect(group.state().up).toBe(true);
    },
    "a heartbeat after the session would have ended",
    60_000,
  );
});
