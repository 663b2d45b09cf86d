import { onTestFinished, vi } from "vitest";
import { exportTraces } from "../../../../src/ops/traces/open.ts";
import type { Log } from "../../../../src/runtime/log.ts";
import { systemClock } from "../../../../src/runtime/clock.ts";
import { openReceiver, type Answer } from "../../../support/otlp-receiver.ts";

export const receiver = async (answer?: Answer) => {
  const opened = await openReceiver(answer);
  onTestFinished(opened.close);
  return opened;
};

/** Traces to a collector, and what is logged of them. Closed when the test ends. */
export const open = (url: string, env: Record<`OTEL_${string}`, string> = {}) => {
  const batches = {
    OTEL_BSP_MAX_QUEUE_SIZE: "100",
    OTEL_BSP_MAX_EXPORT_BATCH_SIZE: "10",
    OTEL_BSP_SCHEDULE_DELAY: "5",
  };
  for (const [name, value] of Object.entries({ ...batches, ...env })) vi.stubEnv(name, value);
  onTestFinished(() => void vi.unstubAllEnvs());
  const lines: { level: string; fields: Record<string, unknown>; event: string }[] = [];
  const to = (level: string) => (fields: Record<string, unknown>, event: string) =>
    void lines.push({ level, fields, event });
  const log = { warn: to("warn"), debug: to("debug") } as unknown as Log;
  const traces = exportTraces({ url: `${url}/v1/traces`, propagates: true }, { clock: systemClock, log });
  onTestFinished(() => traces.close());
  return { traces, lines };
};

export const root = { name: "root", kind: "server", parent: null } as const;
