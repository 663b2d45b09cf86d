import { normalize } from "./normalize.ts";

const SUCCESS = new Set(["success", "ok"]);
const ERRORS = new Set(["error", "errors"]);
const NO_ERROR = /^\s*(0|false|none|null|ok|success|no errors?)?\s*$/i;

const isError = (value: string | number | boolean | null): boolean =>
  typeof value === "string"
    ? !NO_ERROR.test(value)
    : value === true || (value !== null && Number(value) !== 0);

/**
 * Collects whether an answer says of itself that it failed, although its HTTP status is 2xx: by `success` or
 * `ok` false, or an `error` that is not empty. That counts at the root, and as deep as an array of entries.
 * Deeper it may be said of anything. Depth 1 is a member of the root.
 */
export const statedFailure = () => {
  const failureDepths = new Set<number>();
  const entriesDepths = new Set([1]);
  return {
    /** Takes a member outside all arrays, with the name of the object around it. */
    member: (name: string, value: string | number | boolean | null, parent: string, depth: number): void => {
      const isFailure = SUCCESS.has(normalize(name)) && value === false;
      if (isFailure || (ERRORS.has(normalize(name)) && isError(value))) failureDepths.add(depth);
      // As in `error: { message }`.
      if (ERRORS.has(normalize(parent)) && isError(value)) failureDepths.add(depth - 1);
    },
    /** Takes an array, whatever it holds. */
    array: (name: string, elements: number, depth: number): void => {
      if (elements > 0 && ERRORS.has(normalize(name))) failureDepths.add(depth);
    },
    entriesAt: (depth: number): void => {
      entriesDepths.add(depth);
    },
    isStated: (): boolean => [...failureDepths].some((depth) => entriesDepths.has(depth)),
  };
};
