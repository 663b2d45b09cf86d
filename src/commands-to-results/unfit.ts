import { createHash } from "node:crypto";
import type { Unfit } from "./check.ts";
import { quoteId as quoteIdRule } from "./rules.ts";
import type { Command, Guard, Verdict } from "./types.ts";

/** A command that breaks a rule, in the clothes of one that does not, so that the journal can say whether its id was used before. */
export type Disguised = { command: Command; contentHash: string };

const verdictOn = ({ message }: Unfit): Verdict => ({
  outcome: "REJECTED",
  error: { code: "INVALID_COMMAND", message },
  decidedBy: "BRIDGE",
  answer: null,
});

const disguise = ({ commandId, operation, quoteId, externalId }: Unfit): Command | null => {
  const nothing = { commandId, issuedAt: 0, expiresAt: null };
  if (commandId === "") return null;
  if (operation === "CREATE_QUOTE") {
    const blank = {
      direction: "",
      purpose: "",
      quotedAmount: "",
      baseCurrencyIso: "",
      quotedCurrencyIso: "",
    };
    return { ...nothing, request: { type: "CreateQuote", ...blank } };
  }
  if (operation !== "ACCEPT_QUOTE" || quoteId === null || quoteIdRule(quoteId) !== null) return null;
  return {
    ...nothing,
    request: { type: "AcceptQuote", quoteId, counterpartyId: "", amount: null, externalId },
  };
};

/**
 * An invalid command under the id of one that was executed must not get a second final result. So it goes the same way as a valid one, with
 * a guard that refuses it: the journal comes before the guard.
 */
export const refusals = (guard: Guard) => {
  const refused = new WeakMap<Command, Verdict>();
  return {
    guard: ((command, nowMs) => refused.get(command) ?? guard(command, nowMs)) satisfies Guard,
    /** Null where the command has no place in the journal: then nothing can have been executed under its id and quote. */
    disguise: (unfit: Unfit, value: Buffer): Disguised | null => {
      const command = disguise(unfit);
      if (command === null) return null;
      refused.set(command, verdictOn(unfit));
      return { command, contentHash: createHash("sha256").update(value).digest("hex") };
    },
  };
};
