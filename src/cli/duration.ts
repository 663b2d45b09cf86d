import { InvalidArgumentError } from "commander";
import { readDuration } from "../config/read.ts";

/** A duration as settings have them, for an option of a command. Milliseconds. */
export const durationMs = (text: string): number => {
  try {
    return readDuration(text);
  } catch {
    throw new InvalidArgumentError("It must be a duration such as 500ms, 5s, 15m or 2h.");
  }
};
