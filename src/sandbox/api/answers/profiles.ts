import { bare } from "./bare.ts";
import { nested } from "./nested.ts";
import { numeric } from "./numeric.ts";
import { plain } from "./plain.ts";
import { snake } from "./snake.ts";
import { textual } from "./textual.ts";
import type { AnswersProfile } from "./types.ts";

/** The answers to choose from; a client that works with all of them has guessed nothing. */
export const profiles = {
  plain,
  nested,
  snake,
  numeric,
  empty: bare,
  text: textual,
} as const satisfies Record<string, AnswersProfile>;

export type ProfileName = keyof typeof profiles;

export const profileNames = Object.keys(profiles) as ProfileName[];
