import { checkFor } from "../commands-to-results/check.ts";
import type { Config } from "../config/config.ts";
import type { Command } from "../records.ts";

/** Why the bridge would reject this command, as the end of a sentence; null if it would not. */
export const commandFault = (
  { partner: { purposes, currencies } }: Config,
  command: Command,
): string | null => {
  const checked = checkFor({ purposes, currencies }).record(command);
  return checked.ok ? null : checked.message;
};
