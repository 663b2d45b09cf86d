import { amountLimit } from "../commands-to-results/amount-limit.ts";
import { checkFor } from "../commands-to-results/check.ts";
import type { Command } from "../records.ts";
import type { ToolServices } from "./tool-services.ts";

/** Why the bridge would reject this command, as the end of a sentence; null if it would not. */
export const commandFault = (
  { partner: { purposes, currencies }, commands }: ToolServices["config"],
  command: Command,
): string | null => {
  const checked = checkFor({ purposes, currencies }).record(command);
  if (!checked.ok) return checked.message;
  return amountLimit(commands.maxAmounts ?? new Map())(checked.command.request);
};
