import { expect, test } from "vitest";
import { untilRead } from "../../../../src/bridge/operator/read-journal.ts";
import { isRegistryError } from "../../../../src/bridge/outage.ts";
import { createView } from "../../../../src/commands-to-results/journal-rules/view.ts";
import { RegistryError } from "../../../../src/kafka/schema/registry-http.ts";
import { DeadlineError, systemClock, type Clock } from "../../../../src/runtime/clock.ts";

const inNoTime: Clock = { ...systemClock, withDeadline: (ms) => Promise.reject(new DeadlineError(ms)) };

test.each([
  ["the registry, where the schema of an entry is missing", new RegistryError("knows no schema 7"), true],
  ["Kafka, where nothing else is known", null, false],
])(
  "when the journal was not read in time, it is said that it waited for %s",
  async (_, fault, isRegistry) => {
    const view = createView({ partitions: 1, partitionOf: () => 0 });
    const room = { view, unreadable: () => null, schemaFault: () => fault };
    const error: unknown = await untilRead(room, inNoTime, undefined).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(Error);
    expect(isRegistryError(error)).toBe(isRegistry);
  },
);
