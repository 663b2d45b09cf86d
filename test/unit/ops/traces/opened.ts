import { onTestFinished, vi } from "vitest";
import { openTraces } from "../../../../src/ops/traces/open.ts";
import type { Log } from "../../../../src/runtime/log.ts";
import { systemClock } from "../../../../src/runtime/clock.ts";
import { openReceiver, type Answer } from "../../../support/otlp-receiver.ts";

export const receiver = async (answer?: Answer) => {
  const opened = await openReceiver(answer);
  onTestFinished(opened.close);
  return opened;
};

/** Traces to a collector, and what is counted and logged of them. Closed when the test ends. */
export const open = (url: string, env: Record<`OTEL_${string}`, string> = {}) => {
  const batches = {
    OTEL_BSP_MAX_QUEUE_SIZE: "100",
    OTEL_BSP_MAX_EXPORT_BATCH_SIZE: "10",
    OTEL_BSP_SCHEDULE_DELAY: "5",
  };
  for (const [name, value] of Object.entries({ ...batches, ...env })) vi.stubEnv(name, value);
  onTestFinished(() => void vi.unstubAllEnvs());
  const counts = { exported: 0, failed: 0, dropped: 0 };
  const lines: { level: string; fields: Record<string, unknown>; event: string }[] = [];
  const to = (level: string) => (fields: Record<string, unknown>, event: string) =>
    void lines.push({ level, fields, event });
  const log: Log = {
    trace: to("trace"),
    debug: to("debug"),
    info: to("info"),
    warn: to("warn"),
    error: to("error"),
    fatal: to("fatal"),
  };
  const traces = openTraces(
    { url: `${url}/v1/traces`, propagates: true },
    {
      counts: {
        exported: (spans) => (counts.exported += spans),
        failed: (spans) => (counts.failed += spans),
        dropped: (spans) => (counts.dropped += spans),
      },
      clock: systemClock,
      log,
    },
  );
  onTestFinished(() => traces.close());
  return { traces, counts, lines };
};

export const root = { name: "root", kind: "server", parent: null } as const;
