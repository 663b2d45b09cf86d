import { describe, expect, it } from "vitest";
import { decide, type Disposition } from "../../../src/commands-to-results/disposition.ts";
import type { Answer, Outcome } from "../../../src/partner/types.ts";

const answer = (
  httpStatus: number,
  body: string | null = "{}",
  retryAfterMs: number | null = null,
): Answer => ({
  httpStatus,
  body,
  retryAfterMs,
});

const summary = (disposition: Disposition): string => {
  const { kind } = disposition;
  const { outcome, error, decidedBy } =
    kind === "conclude" ? disposition.verdict : disposition.verdictAtDeadline;
  return `${kind} ${outcome} ${error?.code ?? "-"} ${decidedBy}`;
};

const outcomes: [string, Outcome, string, string][] = [
  [
    "2xx",
    { kind: "executed", answer: answer(200) },
    "conclude SUCCEEDED - PARTNER",
    "conclude SUCCEEDED - PARTNER",
  ],
  [
    "2xx cut off",
    { kind: "executed", answer: answer(200, null) },
    "conclude SUCCEEDED - PARTNER",
    "conclude FAILED ANSWER_LOST BRIDGE",
  ],
  [
    "2xx cut off, with the quoteId in the head",
    { kind: "executed", answer: { ...answer(201, null), quoteId: "q-1" } },
    "conclude SUCCEEDED - PARTNER",
    "conclude SUCCEEDED - PARTNER",
  ],
  [
    "2xx that says that it failed",
    { kind: "unclear", answer: answer(200, '{"success":false}') },
    "conclude IN_DOUBT ANSWER_UNCLEAR BRIDGE",
    "conclude REJECTED PARTNER_REJECTED PARTNER",
  ],
  [
    "4xx",
    { kind: "refused", answer: answer(422) },
    "conclude REJECTED PARTNER_REJECTED PARTNER",
    "conclude REJECTED PARTNER_REJECTED PARTNER",
  ],
  [
    "429",
    { kind: "throttled", answer: answer(429) },
    "retry FAILED PARTNER_THROTTLED PARTNER",
    "retry FAILED PARTNER_THROTTLED PARTNER",
  ],
  [
    "401",
    { kind: "unauthorized", answer: answer(401) },
    "retry FAILED PARTNER_UNAUTHORIZED PARTNER",
    "retry FAILED PARTNER_UNAUTHORIZED PARTNER",
  ],
  [
    "not sent",
    { kind: "notSent", reason: "refused" },
    "retry FAILED PARTNER_UNAVAILABLE BRIDGE",
    "retry FAILED PARTNER_UNAVAILABLE BRIDGE",
  ],
  [
    "5xx",
    { kind: "unknown", reason: "500", answer: answer(500) },
    "conclude IN_DOUBT ANSWER_LOST BRIDGE",
    "retry FAILED PARTNER_UNAVAILABLE BRIDGE",
  ],
  [
    "no answer",
    { kind: "unknown", reason: "reset", answer: null },
    "conclude IN_DOUBT ANSWER_LOST BRIDGE",
    "retry FAILED ANSWER_LOST BRIDGE",
  ],
];

describe("decide", () => {
  it.each(outcomes)("%s", (_, outcome, accept, create) => {
    expect(summary(decide("ACCEPT_QUOTE", outcome, 1))).toBe(accept);
    expect(summary(decide("CREATE_QUOTE", outcome, 1))).toBe(create);
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
    for (const calls of [10, 11])
      expect(summary(afterCalls(calls))).toBe("conclude FAILED ANSWER_LOST BRIDGE");
  });

  it("keeps the answer in the verdict", () => {
    const doubt = decide("ACCEPT_QUOTE", { kind: "unknown", reason: "500", answer: answer(500, "oops") }, 1);
    expect(doubt).toMatchObject({ verdict: { answer: { httpStatus: 500, body: "oops" } } });
  });
});
