import { parseUsers, type User } from "../console/users.ts";
import { unreadableFile } from "../config/file-name.ts";
import { Secret } from "../config/secret.ts";
import { messageOf } from "../runtime/errors.ts";
import type { Log } from "../runtime/log.ts";
import { ConfigError } from "./io.ts";

const checked = (text: string): readonly User[] => {
  const { users, problems } = parseUsers(text);
  if (problems.length > 0) throw new Error(problems.join(" "));
  return users;
};

/** The message of an error of the file system repeats the setting's value. */
const faultOf = (file: string, error: unknown): string =>
  error instanceof Error && "code" in error
    ? unreadableFile(file, error)
    : `cannot be used: ${messageOf(error)}`;

/**
 * Reads the users from the file, again when it changes; a half-written file leaves the earlier users. Throws a
 * ConfigError when the first reading fails.
 */
export const usersOf = (file: string, log: Log): (() => readonly User[]) => {
  try {
    const secret = Secret.fromFile(file, (text) => void checked(text));
    secret.watch("CONSOLE_USERS_FILE", log);
    let known: { text: string; users: readonly User[] } | null = null;
    return () => {
      const text = secret.reveal();
      if (known?.text !== text) known = { text, users: checked(text) };
      return known.users;
    };
  } catch (error) {
    throw new ConfigError(`The configuration has a problem:\n  CONSOLE_USERS_FILE ${faultOf(file, error)}`, {
      cause: error,
    });
  }
};
