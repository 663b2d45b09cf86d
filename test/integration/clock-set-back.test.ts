import { expect, inject, it, onTestFinished, vi } from "vitest";
import { joinGroup } from "../../src/kafka/consume/group.ts";
import { systemClock } from "../../src/runtime/clock.ts";
import { eventually } from "../support/eventually.ts";
import { createTopic } from "../support/kafka.ts";
import { readerDeps } from "../support/reader-deps.ts";
import { isUp } from "../../src/runtime/health.ts";

const HOUR_MS = 3_600_000;
const SESSION_MS = 6_000;

it("a replica stays a member of its group after the clock was set back by an hour", async () => {
  const brokers = inject("kafkaBrokers");
  const topic = await createTopic(brokers, 1);
  const options = { topic, groupId: topic, sessionTimeoutMs: SESSION_MS };
  const group = joinGroup(options, () => undefined, readerDeps(brokers));
  onTestFinished(() => group.stop());
  await eventually(() => isUp(group.health()), "the replica to join", 30_000);

  const now = Date.now.bind(Date);
  vi.spyOn(Date, "now").mockImplementation(() => now() - HOUR_MS);
  onTestFinished(() => void vi.restoreAllMocks());
  const setBackAt = systemClock.monotonic();
  await eventually(
    () => {
      expect(group.lastHeartbeat()).toBeGreaterThan(setBackAt + SESSION_MS);
      expect(isUp(group.health())).toBe(true);
    },
    "a heartbeat after the session would have ended",
    60_000,
  );
});
