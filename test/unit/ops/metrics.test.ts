import { expect, test } from "vitest";
import { createMetrics, type CommandsLag } from "../../../src/ops/metrics.ts";

const linesOf = (text: string, name: string): string[] =>
  text.split("\n").filter((line) => line.startsWith(`cambio_bridge_${name}`));

test("exports the lag of an assigned partition, and its age when known", async () => {
  let lag: CommandsLag = new Map([
    [0, { records: 7, seconds: 1.5 }],
    [3, { records: 2, seconds: null }],
  ]);
  const { registry } = createMetrics({ commandsLag: () => lag });
  const before = await registry.metrics();
  expect(linesOf(before, "commands_lag_records")).toEqual([
    'cambio_bridge_commands_lag_records{partition="0"} 7',
    'cambio_bridge_commands_lag_records{partition="3"} 2',
  ]);
  expect(linesOf(before, "commands_lag_seconds")).toEqual([
    'cambio_bridge_commands_lag_seconds{partition="0"} 1.5',
  ]);
  lag = new Map([[3, { records: 0, seconds: 0 }]]);
  const after = await registry.metrics();
  expect(linesOf(after, "commands_lag_")).toEqual([
    'cambio_bridge_commands_lag_records{partition="3"} 0',
    'cambio_bridge_commands_lag_seconds{partition="3"} 0',
  ]);
});

test("a component that is gone, such as `start` after the start, is not exported as down", async () => {
  let up: Record<string, boolean> = { start: false };
  const { registry } = createMetrics({ kafkaUp: () => up });
  expect(linesOf(await registry.metrics(), "kafka_up")).toEqual([
    'cambio_bridge_kafka_up{component="start"} 0',
  ]);
  up = { journal: true };
  expect(linesOf(await registry.metrics(), "kafka_up")).toEqual([
    'cambio_bridge_kafka_up{component="journal"} 1',
  ]);
});
