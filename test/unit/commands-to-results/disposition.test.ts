import { describe, expect, it } from "vitest";
import { decide } from "../../../src/commands-to-results/disposition.ts";
import type { Disposition } from "../../../src/commands-to-results/types.ts";
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
    "retry FAILED ANSWER_LOST BRIDGE",
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
    expect(summary(decide("ACCEPT_QUOTE", outcome))).toBe(accept);
    expect(summary(decide("CREATE_QUOTE", outcome))).toBe(create);
  });

  it("waits as long as the partner asks for", () => {
    expect(decide("ACCEPT_QUOTE", { kind: "throttled", answer: answer(429, "", 1500) })).toMatchObject({
      afterMs: 1500,
    });
    expect(
      decide("CREATE_QUOTE", { kind: "unknown", reason: "503", answer: answer(503, "", 2000) }),
    ).toMatchObject({ afterMs: 2000 });
  });

  it("keeps the answer in the verdict", () => {
    const doubt = decide("ACCEPT_QUOTE", { kind: "unknown", reason: "500", answer: answer(500, "oops") });
    expect(doubt).toMatchObject({ verdict: { answer: { httpStatus: 500, body: "oops" } } });
  });
});
