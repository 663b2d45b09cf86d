import { membersUpToCut } from "./json.ts";

const NO = /^"?false"?$/i;
const NOTHING = /^(?:|null|false|0|"\s*"|\[\s*\]|\{\s*\})$/;

/**
 * Whether a JSON object, which may be cut off, says at its root that what was asked for failed: by
 * `success: false`, or by an `error` or `errors` that is not empty.
 */
export const saysFailed = (text: string): boolean =>
  membersUpToCut(text).some(({ key, raw }) => {
    const name = key.toLowerCase();
    if (name === "success") return NO.test(raw);
    return (name === "error" || name === "errors") && !NOTHING.test(raw);
  });
