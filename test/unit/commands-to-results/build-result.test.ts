import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { buildResult, resultIdOf } from "../../../src/commands-to-results/build-result.ts";
import { ownVerdict, type Verdict } from "../../../src/commands-to-results/types.ts";

const sha = (text: string): string => createHash("sha256").update(text).digest("hex").slice(0, 32);
const times = { receivedAt: 1, completedAt: 2 };
const ofAccept = { commandId: "c-1", operation: "ACCEPT_QUOTE", quoteId: "q-1", externalId: "x-1" } as const;
const ofCreate = { commandId: "c-1", operation: "CREATE_QUOTE", quoteId: null, externalId: null } as const;
const succeeded: Verdict = {
  outcome: "SUCCEEDED",
  error: null,
  decidedBy: "PARTNER",
  answer: { httpStatus: 201, body: "{}", retryAfterMs: null },
};

describe("results", () => {
  it("has an id that depends on the command and on finality alone", () => {
    expect(resultIdOf("c-1", true)).toBe(sha("c-1\nfinal"));
    expect(resultIdOf("c-1", false)).toBe(sha("c-1\nin-doubt"));
    expect(resultIdOf("ç", true)).toBe(sha("ç\nfinal"));
  });

  it("concludes an accept", () => {
    const answer = {
      httpStatus: 201,
      body: "{}",
      retryAfterMs: null,
      transactionId: "tx-1",
      fields: { rate: "5.10" },
    };
    const facts = { identity: ofAccept, ...times, attempts: 3 };
    expect(buildResult(facts, { ...succeeded, answer, outcome: "REJECTED" }).transactionId).toBeNull();
    expect(buildResult(facts, { ...succeeded, answer })).toEqual({
      resultId: sha("c-1\nfinal"),
      commandId: "c-1",
      operation: "ACCEPT_QUOTE",
      outcome: "SUCCEEDED",
      final: true,
      quoteId: "q-1",
      externalId: "x-1",
      transactionId: "tx-1",
      httpStatus: 201,
      response: "{}",
      fields: { rate: "5.10" },
      error: null,
      attempts: 3,
      decidedBy: "PARTNER",
      ...times,
    });
  });

  it("concludes a doubt, which is not final", () => {
    const facts = { identity: ofAccept, ...times, attempts: 1 };
    expect(buildResult(facts, ownVerdict("IN_DOUBT", "ANSWER_LOST", "m"))).toMatchObject({
      ...{ resultId: sha("c-1\nin-doubt"), final: false, transactionId: null, httpStatus: null },
      ...{ response: null, error: { code: "ANSWER_LOST", message: "m" }, decidedBy: "BRIDGE" },
    });
  });

  it("finds the quote that a create made, and none in an answer that made none", () => {
    const facts = { identity: ofCreate, ...times, attempts: 1 };
    const answer = { httpStatus: 201, body: null, retryAfterMs: null, quoteId: "q-9" };
    expect(buildResult(facts, { ...succeeded, answer })).toMatchObject({
      operation: "CREATE_QUOTE",
      quoteId: "q-9",
    });
    expect(buildResult(facts, succeeded)).toMatchObject({ outcome: "SUCCEEDED", quoteId: null });
    expect(buildResult(facts, { ...succeeded, answer, outcome: "REJECTED" })).toMatchObject({
      quoteId: null,
    });
  });
});
