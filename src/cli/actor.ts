import { hostname, userInfo } from "node:os";
import { InvalidArgumentError, type Command } from "commander";
import { MAX_TEXT_LENGTH, type Actor } from "../operate/actor.ts";

export const boundedText = (text: string): string => {
  if (text.trim() === "") throw new InvalidArgumentError("It must not be empty.");
  if (text.length > MAX_TEXT_LENGTH)
    throw new InvalidArgumentError(`It must have at most ${MAX_TEXT_LENGTH} characters.`);
  return text;
};

export type ActorFlags = { by: string; note: string };

export const withActor = (command: Command): Command =>
  command
    .requiredOption("--by <name>", "who does it; kept in the audit topic", boundedText)
    .requiredOption("--note <text>", "why; kept in the audit topic", boundedText);

/** Returns "unknown" in a container whose user has no name. */
export const userName = (): string => {
  try {
    return userInfo().username;
  } catch {
    return "unknown";
  }
};

export const fromHere = (program: string): Actor["from"] => ({ host: hostname(), user: userName(), program });

export const actorOf = ({ by, note }: ActorFlags): Actor => {
  return { by, role: "operator", note, from: fromHere("cli") };
};
