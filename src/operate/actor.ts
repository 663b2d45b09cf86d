import { UsageError } from "../runtime/errors.ts";

export type Role = "viewer" | "operator";

export type Actor = {
  by: string;
  role: Role;
  note: string;
  /** The machine, its user, and the program: "cli" or "console". `address`: of the person's browser. */
  from: { host: string; user: string; program: string; address?: string };
};

/** A viewer asked for an action: nothing was done and nothing was written. */
export class Forbidden extends UsageError {}

/** Nothing was done; the message says why. The audit topic gets the outcome `refused`. */
export class NothingDone extends UsageError {}

export const MAX_TEXT_LENGTH = 1_000;

/** Throws Forbidden for a viewer, and a UsageError where the name or the note is missing or too long. */
export const authorize = ({ by, role, note }: Actor): void => {
  if (role !== "operator")
    throw new Forbidden(`Nothing was done: ${by} may only look. Ask an operator, or to be made one.`);
  if ([by, note].some((text) => text.trim() === "" || text.length > MAX_TEXT_LENGTH))
    throw new UsageError(
      `Nothing was done: the name and the note must be there, and have at most ${MAX_TEXT_LENGTH} characters.`,
    );
};

export const continueUnless = (stopped: AbortSignal): void => {
  if (stopped.aborted) throw new NothingDone("It was interrupted, and nothing was done.");
};

/** Gives one text for all spellings of a name: case, width, invisible characters and the number of blanks may differ. */
const canonicalName = (name: string): string =>
  name
    .normalize("NFKC")
    .replace(/[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]/gu, "")
    .replace(/\s+/gu, " ")
    .trim()
    .toLowerCase()
    .toUpperCase()
    .toLowerCase()
    .normalize("NFKC");

/** This guards against one person's mistake, not against forgery: the command line takes any name. */
export const isSamePerson = (a: string, b: string): boolean => canonicalName(a) === canonicalName(b);
