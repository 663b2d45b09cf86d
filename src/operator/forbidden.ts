import { UsageError } from "../runtime/errors.ts";
import type { Actor } from "./action.ts";

/** Whoever asked may only look. Nothing was done, nor written. */
export class Forbidden extends UsageError {}

/** Throws unless this person may act. */
export const mustBeOperator = ({ by, role }: Actor): void => {
  if (role !== "operator")
    throw new Forbidden(`Nothing was done: ${by} may only look. Ask an operator, or to be made one.`);
};
