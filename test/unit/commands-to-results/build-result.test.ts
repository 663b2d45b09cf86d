import { createHash } from "node:crypto";
import { expect, it } from "vitest";
import { buildResult, resultIdOf } from "../../../src/commands-to-results/build-result.ts";
import type { Verdict } from "../../../src/commands-to-results/types.ts";

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

it("has an id that depends on the command and on finality alone", () => {
  expect(resultIdOf("c-1", true)).toBe(sha("c-1\nfinal"));
  expect(resultIdOf("c-1", false)).toBe(sha("c-1\nin-doubt"));
  expect(resultIdOf("ç", true)).toBe(sha("ç\nfinal"));
});

it("names a transaction of an executed accept alone", () => {
  const answer = { httpStatus: 201, body: "{}", retryAfterMs: null, transactionId: "tx-1" };
  const facts = { identity: ofAccept, ...times, attempts: 3 };
  const nameIn = (verdict: Verdict) => buildResult(facts, { ...verdict, answer }).transactionId;
  expect([nameIn(succeeded), nameIn({ ...succeeded, outcome: "REJECTED" })]).toEqual(["tx-1", null]);
});

it("finds the quote that a create made, and none in an answer that made none", () => {
  const facts = { identity: ofCreate, ...times, attempts: 1 };
  const answer = { httpStatus: 201, body: null, retryAfterMs: null, quoteId: "q-9" };
  expect(buildResult(facts, { ...succeeded, answer })).toMatchObject({
    operation: "CREATE_QUOTE",
    quoteId: "q-9",
  });
  expect(buildResult(facts, succeeded)).toMatchObject({ outcome: "SUCCEEDED", quoteId: null });
  expect(buildResult(facts, { ...succeeded, answer, outcome: "REJECTED" })).toMatchObject({ quoteId: null });
});
