import { expect, test } from "vitest";
import { untilRead } from "../../../src/operate/doubts/doubts.ts";
import { systemClock } from "../../../src/runtime/clock.ts";
import type { Health } from "../../../src/runtime/health.ts";

const place = { topic: "journal", partition: 0, offset: 3 };

test.each<[string, Health]>([
  ["was lost", { kind: "lost", topic: "journal", cause: "was created anew" }],
  ["holds an entry of another version", { kind: "halted", ...place, cause: "a kind of another version" }],
])("whoever waits for a journal that %s hears why at once", async (_, health) => {
  const services = { clock: systemClock, warn: () => undefined, stopped: new AbortController().signal };
  const room = { view: { ready: () => false }, health: () => health } as Parameters<typeof untilRead>[1];
  const cause = "cause" in health ? health.cause : "";
  await expect(untilRead(services, room)).rejects.toThrow(cause);
});
