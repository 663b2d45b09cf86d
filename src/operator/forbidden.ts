import { UsageError } from "../runtime/errors.ts";
import type { Actor } from "./action.ts";

/** A viewer asked for an action: nothing was done and nothing was written. */
export class Forbidden extends UsageError {}

/** Throws Forbidden for a viewer. */
export const requireOperator = ({ by, role }: Actor): void => {
  if (role !== "operator")
    throw new Forbidden(`Nothing was done: ${by} may only look. Ask an operator, or to be made one.`);
};
