import { expect, test } from "vitest";
import type { Services } from "../../../../src/bridge/services.ts";
import { commandsTarget } from "../../../../src/bridge/operator/replay-targets.ts";

test("commands are replayed by a publisher that sends no record twice", () => {
  let made: unknown;
  commandsTarget(
    {
      publisher: (topic: string, options: object) => void (made = { topic, ...options }),
    } as unknown as Services,
    "commands",
  );
  expect(made).toMatchObject({ topic: "commands", sendsOnce: true });
});
