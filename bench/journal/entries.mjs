import { createHash, randomUUID } from "node:crypto";
import { resultIdOf } from "../../src/commands-to-results/build-result.ts";
import { toRecord } from "../../src/commands-to-results/accept-once/entry.ts";
import { encoder } from "../../src/kafka/schema/codec.ts";
import { readSchema } from "../../src/kafka/schema/schemas.ts";

/** @typedef {import("../../src/commands-to-results/accept-once/entry.ts").JournalStep} Step */
/** @typedef {import("../../src/kafka/record.ts").Outgoing} Outgoing */
/** @typedef {import("../../src/records.ts").CommandJournalEntry} CommandJournalEntry */
/** @typedef {import("../../src/records.ts").CommandResult} CommandResult */
/** @typedef {import("../../src/records.ts").ConcludedOutcome} Outcome */
/** @typedef {{ claimed: Outgoing, ends: Outgoing[] }} Accept the entries of one accept: `ends` follow the claim, in this order */

const CALL_WITHIN_MS = 20_000;
const CALL_MS = 180;

/** Of a thousand accepts; all others succeed. After a doubt come the operator's resolution and its publication. */
const MIX = { inDoubt: 2, releasedOnce: 20, rejected: 60, failed: 20 };

/** The partner's answer to an accept. @param {string} quoteId */
const responseOf = (quoteId) =>
  JSON.stringify({
    ...{ quoteId, transactionId: randomUUID(), status: "AWAITING_PAYMENT", direction: "OUTBOUND" },
    ...{ purpose: "COMEX", baseCurrencyIso: "USD", quotedCurrencyIso: "BRL", quotedAmount: "125000.00" },
    ...{ baseAmount: "24319.07", vet: "5.1400", spotRate: "5.1234", iof: "0.38", totalTaxes: "475.00" },
    ...{ counterpartyId: "cp-4711", settlementDate: "2026-03-04", createdAt: "2026-03-02T13:45:12.345Z" },
  });

/** @param {string} registryUrl @param {{ journal: string, results: string }} topics */
export async function entriesOf(registryUrl, topics) {
  const idOf = async (/** @type {string} */ topic) => {
    const answer = await fetch(`${registryUrl}/subjects/${topic}-value/versions/latest`);
    return /** @type {{ id: number }} */ (await answer.json()).id;
  };
  /** @type {import("../../src/kafka/schema/codec.ts").Encode<CommandJournalEntry>} */
  const encodeEntry = encoder(readSchema("command-journal-entry"), await idOf(topics.journal));
  /** @type {import("../../src/kafka/schema/codec.ts").Encode<CommandResult>} */
  const encodeResult = encoder(readSchema("command-result"), await idOf(topics.results));

  /** @param {number} nth @param {number} now @returns {Accept} */
  return (nth, now) => {
    const [quoteId, commandId, attemptId] = [randomUUID(), randomUUID(), randomUUID()];
    const requestHash = createHash("sha256").update(commandId).digest("hex");
    const key = Buffer.from(quoteId);
    /** @param {Step} step @returns {Outgoing} */
    const record = (step) => ({
      key,
      value: encodeEntry(toRecord({ operation: "ACCEPT_QUOTE", commandId, step })),
      headers: [],
    });
    const claimedBy = (/** @type {string} */ attempt, /** @type {number} */ attempts) =>
      record({
        ...{
          kind: "claimed",
          attemptId: attempt,
          requestHash,
          callWithinMs: CALL_WITHIN_MS,
          receivedAt: now,
        },
        ...{ attempts, supersedes: null, quoteId },
      });
    const concluded = (/** @type {Outcome} */ outcome) => {
      const final = outcome !== "IN_DOUBT";
      const succeeded = outcome === "SUCCEEDED";
      const resultId = resultIdOf(commandId, final);
      const result = encodeResult({
        ...{ resultId, commandId, operation: "ACCEPT_QUOTE", outcome, final, quoteId },
        transactionId: null,
        externalId: `order-${nth}`,
        httpStatus: final ? (succeeded ? 200 : 422) : null,
        response: final ? responseOf(quoteId) : null,
        fields: {},
        error: succeeded ? null : { code: "QUOTE_EXPIRED", message: "The partner did not accept the quote." },
        ...{ attempts: 1, decidedBy: "PARTNER", receivedAt: now, completedAt: now + CALL_MS },
      });
      const [trace, span] = [commandId, attemptId].map((id) => id.replaceAll("-", ""));
      const traceparent = `00-${trace}-${span?.slice(0, 16)}-01`;
      return record({
        ...{ kind: "concluded", attemptId, requestHash, outcome, resultId, result, note: null, traceparent },
      });
    };

    let kind = nth % 1_000;
    /** Whether this accept is one of those. @param {number} share */
    const isOneOf = (share) => (kind -= share) < 0;
    if (isOneOf(MIX.inDoubt)) {
      const published = record({ kind: "published", resultId: resultIdOf(commandId, true) });
      return {
        claimed: claimedBy(attemptId, 0),
        ends: [concluded("IN_DOUBT"), concluded("SUCCEEDED"), published],
      };
    }
    if (isOneOf(MIX.releasedOnce)) {
      const earlier = randomUUID();
      const again = [record({ kind: "released", attemptId: earlier }), claimedBy(attemptId, 1)];
      return { claimed: claimedBy(earlier, 0), ends: [...again, concluded("SUCCEEDED")] };
    }
    const outcome = isOneOf(MIX.rejected) ? "REJECTED" : isOneOf(MIX.failed) ? "FAILED" : "SUCCEEDED";
    return { claimed: claimedBy(attemptId, 0), ends: [concluded(outcome)] };
  };
}
