import { expect, test } from "vitest";
import { measured } from "../../../../src/commands-to-results/wire/measured-call.ts";
import type { Metrics } from "../../../../src/ops/metrics.ts";
import type { CallOptions, Outcome } from "../../../../src/partner/types.ts";
import { systemClock } from "../../../../src/runtime/clock.ts";
import { configOf } from "../../config/environment.ts";
import { ACCEPT, free } from "../../partner/hostile-server.ts";

test("calls are counted: one that the last check refused as such, and the fields that a 2xx lacks", async () => {
  const counted: string[] = [];
  const missing: object[] = [];
  const metrics = {
    partnerCalls: { inc: ({ outcome }: { outcome: string }) => counted.push(outcome) },
    fieldsMissing: { inc: (labels: object) => missing.push(labels) },
    partnerSeconds: { observe: () => undefined },
  } as unknown as Metrics;
  const notSent: Outcome = { kind: "notSent", reason: "r" };
  const counting = async (outcome: Outcome, options: Partial<CallOptions>, asks = true): Promise<void> => {
    const call = measured(
      (_, { mayCall }) => {
        if (asks) mayCall();
        return Promise.resolve(outcome);
      },
      { metrics, clock: systemClock, config: configOf({ PARTNER_RESULT_FIELDS: "rate=/rate,id=/id" }) },
    );
    expect(await call(ACCEPT, { ...free(), ...options })).toBe(outcome);
  };
  await counting(notSent, { mayCall: () => false });
  await counting(notSent, { withinMs: 0 }, false);
  await counting(notSent, {}, false);
  await counting(notSent, {});
  await counting({ kind: "unknown", reason: "r", answer: null }, {});
  expect(missing).toEqual([]);
  await counting(
    { kind: "executed", answer: { httpStatus: 200, body: "", retryAfterMs: null, fields: { id: "" } } },
    {},
  );
  expect(counted).toEqual(["notAllowed", "notAllowed", "notSent", "notSent", "unknown", "executed"]);
  expect(missing).toEqual([{ kind: "result", field: "rate" }]);
});
