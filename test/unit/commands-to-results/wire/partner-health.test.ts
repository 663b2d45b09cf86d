import { expect, test } from "vitest";
import { watchPartner } from "../../../../src/commands-to-results/wire/partner-health.ts";
import type { Metrics } from "../../../../src/ops/metrics.ts";
import type { CallOptions, Outcome } from "../../../../src/partner/types.ts";
import { systemClock } from "../../../../src/runtime/clock.ts";
import type { Log } from "../../../../src/runtime/log.ts";
import { configOf } from "../../config/environment.ts";
import { ACCEPT, free } from "../../partner/hostile-server.ts";

const watching = (doubtSinceMs: () => number | null = () => null) => {
  const counted: string[] = [];
  const missing: object[] = [];
  const logged: string[] = [];
  const watch = watchPartner({
    clock: systemClock,
    log: {
      warn: (_: object, event: string) => logged.push(event),
      info: (_: object, event: string) => logged.push(event),
    } as unknown as Log,
    metrics: {
      partnerCalls: { inc: ({ outcome }: { outcome: string }) => counted.push(outcome) },
      fieldsMissing: { inc: (labels: object) => missing.push(labels) },
      partnerSeconds: { observe: () => undefined },
    } as unknown as Metrics,
    config: configOf({ PARTNER_RESULT_FIELDS: "rate=/rate,id=/id" }),
    backlog: () => null,
    doubtSinceMs,
  });
  const call = async (outcome: Outcome, options: Partial<CallOptions> = {}, asks = true): Promise<void> => {
    const watched = watch.watched((_, { mayCall }) => {
      if (asks) mayCall();
      return Promise.resolve(outcome);
    });
    expect(await watched(ACCEPT, { ...free(), ...options })).toBe(outcome);
  };
  return { watch, call, counted, missing, logged };
};
const answer = { httpStatus: 401, body: "", retryAfterMs: null };

test("calls are counted: one that the last check refused as such, and the fields that a 2xx lacks", async () => {
  const { call, counted, missing } = watching();
  const notSent: Outcome = { kind: "notSent", reason: "r" };
  await call(notSent, { mayCall: () => false });
  await call(notSent, { withinMs: 0 }, false);
  await call(notSent, {}, false);
  await call(notSent);
  await call({ kind: "unknown", reason: "r", answer: null });
  expect(missing).toEqual([]);
  await call({ kind: "executed", answer: { ...answer, httpStatus: 200, fields: { id: "" } } });
  expect(counted).toEqual(["notAllowed", "notAllowed", "notSent", "notSent", "unknown", "executed"]);
  expect(missing).toEqual([{ kind: "result", field: "rate" }]);
});

test("all that holds accepts back is told, not only the worst of it, and logged when it begins and ends", async () => {
  const sinceMs = systemClock.now();
  let doubtSinceMs: number | null = sinceMs;
  const { watch, call, logged } = watching(() => doubtSinceMs);
  expect(watch.noteAfter(null)).toBeNull();
  expect(watch.component()).toEqual({ health: { kind: "doubtOpen", sinceMs }, serves: null });

  await call({ kind: "unauthorized", answer });
  expect(watch.component()).toMatchObject({
    health: { kind: "doubtOpen" },
    note: expect.stringContaining("401") as string,
  });
  expect(watch.noteAfter("journal:x")).toMatch(
    /^journal:x partner:doubtOpen,\S+ partner:partnerFails,unauthorized,\S+$/,
  );

  doubtSinceMs = null;
  expect(watch.component()).toMatchObject({ health: { kind: "partnerFails", why: "unauthorized" } });
  expect(watch.component()).not.toHaveProperty("note");
  expect(logged).toEqual(["accepts.doubt", "partner.failing", "accepts.doubt"]);
});
