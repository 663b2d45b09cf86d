import { checkPlainList, isHeaderName } from "./read.ts";

// Readers for OpenTelemetry's own variables. They follow its specification, which differs from the bridge's
// settings.

const HEADER_VALUE = /^[\x20-\x7e]*$/;

/** `key=value,key=value` with percent-escapes. Its errors repeat nothing of the text, which may be secret. */
export const readEscapedPairs = (text: string): Readonly<Record<string, string>> => {
  const pairs = text.split(",").filter((pair) => pair.trim() !== "");
  const entries = pairs.map((pair): [string, string] => {
    const [, key, value] = /^\s*([^=]*?)\s*=\s*(.*?)\s*$/.exec(pair) ?? [];
    if (!key || value === undefined) throw new Error("is not a list of key=value, separated by commas");
    try {
      return [decodeURIComponent(key), decodeURIComponent(value)];
    } catch {
      throw new Error("holds a % that begins no escape: write %25 for it");
    }
  });
  return Object.fromEntries(entries);
};

/** Checks headers in the same form. */
export const checkHeaders = (text: string): void => {
  checkPlainList(text);
  for (const [name, value] of Object.entries(readEscapedPairs(text)))
    if (!isHeaderName(name) || !HEADER_VALUE.test(value))
      throw new Error("holds what no header of a request can carry");
};

/** true or false, case-insensitive. */
export const readFlag = (text: string): boolean => {
  const value = text.toLowerCase();
  if (value !== "true" && value !== "false") throw new Error("is neither true nor false");
  return value === "true";
};

/** A number from 0 to 1. */
export const readRatio = (text: string): number => {
  const value = Number(text);
  if (!/^(\d+\.?\d*|\.\d+)$/.test(text) || value > 1) throw new Error("is not a number from 0 to 1");
  return value;
};
