import { readFileSync } from "node:fs";
import { isLoopback } from "../runtime/cidr.ts";
import { unreadableFile } from "./file-name.ts";
import { type Rule, wasRead, when } from "./rule.ts";

/** Without authentication, anybody who reaches the console sees everything. */
const loopbackWithoutAuth: Rule = ({ console: { auth, host } }) =>
  when(
    auth === "none" && !isLoopback(host),
    "CONSOLE_HOST",
    `is ${host}, but CONSOLE_AUTH is none, so that anybody could read it: set CONSOLE_AUTH, or leave it at 127.0.0.1`,
  );

const unreadable = (file: string): string | null => {
  try {
    return readFileSync(file, "utf8").trim() === "" ? `names a file that holds no users: ${file}` : null;
  } catch (error) {
    return unreadableFile(file, error);
  }
};

const usersFileReadable: Rule = ({ console: { auth, usersFile } }) => {
  if (auth !== "basic") return [];
  if (usersFile === undefined)
    return when(true, "CONSOLE_USERS_FILE", "is not set, which CONSOLE_AUTH=basic needs");
  const fault = unreadable(usersFile);
  return when(fault !== null, "CONSOLE_USERS_FILE", fault ?? "");
};

/** Anybody can send the header, so the proxies that may must be known. */
const proxyTrusted: Rule = ({ console: { auth, trustedProxyCidrs } }) =>
  when(
    auth === "proxy-header" && trustedProxyCidrs.length === 0,
    "CONSOLE_TRUSTED_PROXY_CIDRS",
    "is not set, which CONSOLE_AUTH=proxy-header needs: name the proxies, or anybody could claim to be any user",
  );

/** Rules between the settings of the console. */
export const consoleRules: readonly Rule[] = [
  (config) => (wasRead(config.console, "auth", "host") ? loopbackWithoutAuth(config) : []),
  (config) => (wasRead(config.console, "auth") ? usersFileReadable(config) : []),
  (config) => (wasRead(config.console, "auth", "trustedProxyCidrs") ? proxyTrusted(config) : []),
];
