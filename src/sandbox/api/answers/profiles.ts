import { emptyProfile } from "./empty.ts";
import { nestedProfile } from "./nested.ts";
import { numericProfile } from "./numeric.ts";
import { plainProfile } from "./plain.ts";
import { snakeProfile } from "./snake.ts";
import { textProfile } from "./text.ts";
import type { AnswersProfile } from "./types.ts";

/**
 * The profiles of --answers. A client that works with all of them assumes nothing that the specification does
 * not say.
 */
export const profiles = {
  plain: plainProfile,
  nested: nestedProfile,
  snake: snakeProfile,
  numeric: numericProfile,
  empty: emptyProfile,
  text: textProfile,
} as const satisfies Record<string, AnswersProfile>;

export type ProfileName = keyof typeof profiles;

export const profileNames = Object.keys(profiles) as ProfileName[];
