import { onTestFinished } from "vitest";
import { openTraces, type TracesOptions } from "../../../../src/ops/traces/open.ts";
import type { Log } from "../../../../src/runtime/log.ts";
import { systemClock } from "../../../../src/runtime/clock.ts";
import { openReceiver, type Answer } from "../../../support/otlp-receiver.ts";

export const receiver = async (answer?: Answer) => {
  const opened = await openReceiver(answer);
  onTestFinished(opened.close);
  return opened;
};

/** Traces to a collector, and what is counted and logged of them. Closed when the test ends. */
export const open = (url: string, over: Partial<TracesOptions> = {}) => {
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
    {
      url: `${url}/v1/traces`,
      headers: () => ({}),
      timeoutMs: 5_000,
      compression: "none",
      ca: undefined,
      resource: { "service.name": "test" },
      sampler: "parentbased_always_on",
      ratio: 1,
      propagates: true,
      queueSize: 100,
      batchSize: 10,
      delayMs: 5,
      exportTimeoutMs: 10_000,
      ...over,
    },
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
