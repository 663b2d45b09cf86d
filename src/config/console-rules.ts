import { readFileSync } from "node:fs";
import { isLoopback } from "../runtime/cidr.ts";
import type { Config, Problem } from "./config.ts";
import { consoleSettings } from "./settings/console.ts";

type Console = Config["console"];
type Rule = (config: Config) => readonly Problem[];

const when = (condition: boolean, variable: string, message: string): Problem[] =>
  condition ? [{ variable, message }] : [];

/** Nobody signs in, and whoever reaches the page sees everything. */
const loopbackWithoutAuth: Rule = ({ console: { auth, host } }) =>
  when(
    auth === "none" && !isLoopback(host),
    "CONSOLE_HOST",
    `is ${host}, but CONSOLE_AUTH is none, so that anybody could look: set CONSOLE_AUTH, or leave it at 127.0.0.1`,
  );

const unreadable = (file: string): string | null => {
  try {
    return readFileSync(file, "utf8").trim() === "" ? "names a file that holds no users" : null;
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "unreadable";
    return `names a file that cannot be read (${code})`;
  }
};

const usersFileReadable: Rule = ({ console: { auth, usersFile } }) => {
  if (auth !== "basic") return [];
  if (usersFile === undefined)
    return when(true, "CONSOLE_USERS_FILE", "is not set, which CONSOLE_AUTH=basic needs");
  const fault = unreadable(usersFile);
  return when(fault !== null, "CONSOLE_USERS_FILE", `${fault ?? ""}: ${usersFile}`);
};

/** Anybody can send a header. */
const proxyTrusted: Rule = ({ console: { auth, trustedProxyCidrs } }) =>
  when(
    auth === "proxy-header" && trustedProxyCidrs.length === 0,
    "CONSOLE_TRUSTED_PROXY_CIDRS",
    "is not set, which CONSOLE_AUTH=proxy-header needs: name the proxies, or anybody could say who he is",
  );

/** A value that could not be read is not there at all, and said already. */
const isRead = (console: Console, ...keys: readonly (keyof Console)[]): boolean =>
  keys.every((key) => key in console);

/** How the console is reached, and who may act in it. */
export const consoleRules: readonly Rule[] = [
  (config) => (isRead(config.console, "auth", "host") ? loopbackWithoutAuth(config) : []),
  (config) => (isRead(config.console, "auth") ? usersFileReadable(config) : []),
  (config) => (isRead(config.console, "auth", "trustedProxyCidrs") ? proxyTrusted(config) : []),
];

/** Settings of another way to sign in, which somebody may believe to be in force. */
export const consoleWarnings = ({ console }: Config): Problem[] => {
  if (!isRead(console, "auth")) return [];
  const { auth, usersFile, userHeader, trustedProxyCidrs, operators } = console;
  const isProxy = auth === "proxy-header";
  const because = `is not used: CONSOLE_AUTH is ${auth}`;
  return [
    ...when(auth !== "basic" && usersFile !== undefined, "CONSOLE_USERS_FILE", because),
    ...when(!isProxy && userHeader !== consoleSettings.userHeader.fallback, "CONSOLE_USER_HEADER", because),
    ...when(!isProxy && trustedProxyCidrs.length > 0, "CONSOLE_TRUSTED_PROXY_CIDRS", because),
    ...when(!isProxy && operators.length > 0, "CONSOLE_OPERATORS", because),
  ];
};
