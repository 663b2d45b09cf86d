import type { Verdict } from "../types.ts";

// Verdicts that the protocol reaches without an answer of the partner.

export const quoteTaken: Verdict = {
  outcome: "REJECTED",
  error: { code: "QUOTE_ALREADY_TAKEN", message: "another command holds this quote or has used it" },
  decidedBy: "BRIDGE",
  answer: null,
};

export const neverSent: Verdict = {
  outcome: "FAILED",
  error: { code: "PARTNER_UNAVAILABLE", message: "no call could be started in time" },
  decidedBy: "BRIDGE",
  answer: null,
};

export const notClaimed: Verdict = {
  ...neverSent,
  error: {
    code: "PARTNER_UNAVAILABLE",
    message: "no call was made: the journal did not take a claim in time",
  },
};

export const acceptOwnerLost: Verdict = {
  outcome: "IN_DOUBT",
  error: { code: "OWNER_LOST", message: "the replica that was to make the call did not say what came of it" },
  decidedBy: "BRIDGE",
  answer: null,
};

/** A second quote does no harm, so the caller may send a new command. */
export const createOwnerLost: Verdict = { ...acceptOwnerLost, outcome: "FAILED" };
