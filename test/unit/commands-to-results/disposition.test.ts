import { expect, it } from "vitest";
import { decide, type Disposition } from "../../../src/commands-to-results/disposition.ts";
import type { Answer, Outcome } from "../../../src/partner/types.ts";

const answer = (httpStatus: number, body: Answer["body"] = "{}", retryAfterMs: number | null = null) => {
  return { httpStatus, body, retryAfterMs };
};

const summary = (disposition: Disposition): string => {
  const { kind } = disposition;
  const { outcome, error, decidedBy } =
    kind === "conclude" ? disposition.verdict : disposition.verdictAtDeadline;
  return `${kind} ${outcome} ${error?.code ?? "-"} ${decidedBy}`;
};

const unknown = (httpStatus: number | null): Outcome => {
  return { kind: "unknown", reason: "r", answer: httpStatus === null ? null : answer(httpStatus) };
};
const executed = (of: Answer): Outcome => ({ kind: "executed", answer: of });

const SUCCEEDED = "SUCCEEDED - PARTNER";
const REJECTED = "REJECTED PARTNER_REJECTED PARTNER";
const unclear: Outcome = { kind: "unclear", reason: "r", answer: answer(200, '{"success":false}') };
const outcomes: [string, Outcome, accept: string, create: string][] = [
  ["2xx", executed(answer(200)), SUCCEEDED, SUCCEEDED],
  ["2xx cut off", executed(answer(200, null)), SUCCEEDED, "FAILED ANSWER_LOST BRIDGE"],
  [
    "2xx cut off behind the quoteId",
    executed({ ...answer(201, null), quoteId: "q-1" }),
    SUCCEEDED,
    SUCCEEDED,
  ],
  ["2xx whose body proves nothing", unclear, "IN_DOUBT ANSWER_UNCLEAR BRIDGE", REJECTED],
  ["4xx", { kind: "refused", answer: answer(422) }, REJECTED, REJECTED],
  ["5xx", unknown(500), "IN_DOUBT ANSWER_LOST BRIDGE", "retry FAILED PARTNER_UNAVAILABLE BRIDGE"],
  ["no answer", unknown(null), "IN_DOUBT ANSWER_LOST BRIDGE", "retry FAILED ANSWER_LOST BRIDGE"],
];
const notDone: [Outcome, string][] = [
  [{ kind: "throttled", answer: answer(429) }, "PARTNER_THROTTLED PARTNER"],
  [{ kind: "unauthorized", answer: answer(401) }, "PARTNER_UNAUTHORIZED PARTNER"],
  [{ kind: "notSent", reason: "refused" }, "PARTNER_UNAVAILABLE BRIDGE"],
];

const concluded = (said: string): string => (said.startsWith("retry") ? said : `conclude ${said}`);
it.each(outcomes)("%s", (_, outcome, accept, create) => {
  expect(summary(decide("ACCEPT_QUOTE", outcome, 1))).toBe(concluded(accept));
  expect(summary(decide("CREATE_QUOTE", outcome, 1))).toBe(concluded(create));
});

it.each(notDone)("%j is tried again, for both", (outcome, said) => {
  for (const operation of ["ACCEPT_QUOTE", "CREATE_QUOTE"] as const)
    expect(summary(decide(operation, outcome, 1))).toBe(`retry FAILED ${said}`);
});

it("waits as long as the partner asks for", () => {
  expect(decide("ACCEPT_QUOTE", { kind: "throttled", answer: answer(429, "", 1500) }, 1)).toMatchObject({
    afterMs: 1500,
  });
  expect(
    decide("CREATE_QUOTE", { kind: "unknown", reason: "503", answer: answer(503, "", 2000) }, 1),
  ).toMatchObject({ afterMs: 2000 });
});

it("calls a create ten times at most, ever longer apart", () => {
  const afterCalls = (calls: number) =>
    decide("CREATE_QUOTE", { kind: "unknown", reason: "reset", answer: null }, calls);
  const waits = Array.from({ length: 9 }, (_, nth) => afterCalls(nth + 1)).map((next) =>
    next.kind === "retry" ? (next.afterMs ?? 0) : 0,
  );
  expect(waits[0]).toBeGreaterThan(0);
  for (const [nth, ms] of waits.entries()) if (nth > 0) expect(ms).toBeGreaterThan(waits[nth - 1] ?? 0);
  for (const calls of [10, 11]) expect(summary(afterCalls(calls))).toBe("conclude FAILED ANSWER_LOST BRIDGE");
});
