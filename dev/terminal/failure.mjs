import { CommandError } from "../run.mjs";
import { MissingRequirement } from "../cluster/requirements.mjs";

/**
 * What a person needs to read of an error: the sentence where we wrote one, the whole story where we did not expect it.
 * @param {unknown} error
 */
export function explain(error) {
  if (error instanceof MissingRequirement || error instanceof CommandError || error instanceof Failure)
    return error.message;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

/** Something did not go as it should; its message says what, in full. */
export class Failure extends Error {}
