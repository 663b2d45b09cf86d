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

/** Returns the line's user, or what is wrong with it. */
const readUser = (line: string, others: readonly User[]): User | string => {
  const [name = "", hash = "", role = "viewer", ...rest] = line.split(":");
  if (hash === "" || rest.length > 0) return "it is not of the form name:hash or name:hash:role";
  if (!isName(name)) return `its name is empty, too long, or has characters that cannot be seen`;
  // Four eyes takes names that are alike for one person.
  if (others.some((user) => isSamePerson(user.name, name)))
    return "its name stands further up already, maybe in another case or spelling: choose another one";
  if (!BCRYPT.test(hash)) return "its hash is none of bcrypt, as `htpasswd -B` makes it";
  if (role !== "viewer" && role !== "operator") return "its role is neither viewer nor operator";
  return { name, hash, role };
};

/** Problems name the line's number and never its content, which may be a secret. */
export const parseUsers = (text: string): UsersFile => {
  const users: User[] = [];
  const problems: string[] = [];
  for (const [index, raw] of text.split("\n").entries()) {
    const line = raw.trim();
    if (line === "" || line.startsWith("#")) continue;
    const user = readUser(line, users);
    if (typeof user === "string") problems.push(`Line ${index + 1}: ${user}.`);
    else users.push(user);
  }
  if (users.length === 0 && problems.length === 0) problems.push("It names nobody, so nobody could sign in.");
  return { users, problems };
};
