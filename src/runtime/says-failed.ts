import { scalarText, valuesAt } from "./json-pointer.ts";
import { membersUpToCut } from "./json.ts";

/** What an answer says when it failed, in words of its own: this value at this JSON pointer. */
export type FailureSign = { pointer: string; value: string };

const NO = /^"?false"?$/i;
const NOTHING = /^(?:|null|false|0|"\s*"|\[\s*\]|\{\s*\})$/;

const saysAtRoot = (text: string): boolean =>
  membersUpToCut(text).some(({ key, raw }) => {
    const name = key.toLowerCase();
    if (name === "success") return NO.test(raw);
    return (name === "error" || name === "errors") && !NOTHING.test(raw);
  });

const folded = (value: string): string => value.trim().toLowerCase();

/**
 * Whether a JSON object, which may be cut off, says that what was asked for failed: at its root by `success: false`,
 * or by an `error` or `errors` that is not empty; or by one of `signs`, whatever the case of its letters.
 */
export const saysFailed = (text: string, signs: readonly FailureSign[] = []): boolean =>
  saysAtRoot(text) ||
  signs.some(({ pointer, value }) =>
    valuesAt(text, pointer).some((raw) => folded(scalarText(raw) ?? "") === folded(value)),
  );
