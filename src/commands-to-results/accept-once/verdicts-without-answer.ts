import { ownVerdict } from "../types.ts";

export const quoteTaken = ownVerdict(
  "REJECTED",
  "QUOTE_ALREADY_TAKEN",
  "another command holds this quote or has used it",
);

export const neverSent = ownVerdict("FAILED", "PARTNER_UNAVAILABLE", "no call could be started in time");

export const notClaimed = ownVerdict(
  "FAILED",
  "PARTNER_UNAVAILABLE",
  "no call was made: the journal did not take a claim in time",
);

const OWNER_LOST = "the replica that claimed this command did not record the outcome of its call";
export const acceptOwnerLost = ownVerdict("IN_DOUBT", "OWNER_LOST", OWNER_LOST);
/** A second quote does no harm, so the caller may send a new command. */
export const createOwnerLost = ownVerdict("FAILED", "OWNER_LOST", OWNER_LOST);
