import { isSamePerson, type Role } from "../../operate/actor.ts";
import { INVISIBLE } from "../../runtime/invisible.ts";

/** A line of the users file. `hash`: of the password, by bcrypt. */
export type User = { name: string; role: Role; hash: string };

type UsersFile = { users: readonly User[]; problems: readonly string[] };

const BCRYPT = /^\$2[aby]\$\d\d\$[./A-Za-z0-9]{53}$/;
const MAX_NAME = 256;

/** Whether people can tell the name from others by reading it. */
export const isName = (text: string): boolean =>
  text !== "" && text === text.trim() && text.length <= MAX_NAME && !INVISIBLE.test(text);

const problemOf = (fields: readonly string[], users: readonly User[]): string | null => {
  const [name = "", hash = "", role = "viewer"] = fields;
  if (fields.length < 2 || fields.length > 3) return "it is not of the form name:hash or name:hash:role";
  if (!isName(name)) return `its name is empty, too long, or has characters that cannot be seen`;
  // Four eyes takes names that are alike for one person.
  if (users.some((user) => isSamePerson(user.name, name)))
    return "its name stands further up already, maybe in another case or spelling: choose another one";
  if (!BCRYPT.test(hash)) return "its hash is none of bcrypt, as `htpasswd -B` makes it";
  return role === "viewer" || role === "operator" ? null : "its role is neither viewer nor operator";
};

/** Problems name the line's number and never its content, which may be a secret. */
export const parseUsers = (text: string): UsersFile => {
  const users: User[] = [];
  const problems: string[] = [];
  for (const [index, raw] of text.split("\n").entries()) {
    const line = raw.trim();
    if (line === "" || line.startsWith("#")) continue;
    const fields = line.split(":");
    const problem = problemOf(fields, users);
    if (problem !== null) problems.push(`Line ${index + 1}: ${problem}.`);
    else {
      const [name = "", hash = "", role] = fields;
      users.push({ name, hash, role: role === "operator" ? "operator" : "viewer" });
    }
  }
  if (users.length === 0 && problems.length === 0) problems.push("It names nobody, so nobody could sign in.");
  return { users, problems };
};
