import { CommandError } from "../run.mjs";

/**
 * The text of an error for a person: the message of an expected error, the stack of any other.
 * @param {unknown} error
 */
export function explain(error) {
  if (error instanceof CommandError || error instanceof Failure) return error.message;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

/** An expected error, whose message says everything. */
export class Failure extends Error {}
