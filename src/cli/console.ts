import type { Command } from "commander";
import { createServices } from "../kafka/wire/services.ts";
import { Secret } from "../config/secret.ts";
import { openConsole } from "../console/app.ts";
import { createSite } from "../console/site.ts";
import { parseUsers, type User } from "../console/sign-in/users.ts";
import { createLog } from "../ops/log.ts";
import { systemClock } from "../runtime/clock.ts";
import { messageOf } from "../runtime/errors.ts";
import type { Log } from "../runtime/log.ts";
import { fromHere } from "./actor.ts";
import { configOf, newCommand, problemsError, untilAborted, versionOf, type Io } from "./io.ts";

/** How long open responses may go on. */
const DRAIN_MS = 2_000;
/** With the two drains less than the 30 s that orchestrators wait. */
const CLOSE_MS = 20_000;

/** Reads the users from the file, again when it changes; one that cannot be used leaves the earlier users. */
const usersOf = (file: string, log: Log): (() => readonly User[]) => {
  const check = (text: string): void => {
    const { problems } = parseUsers(text);
    if (problems.length > 0) throw new Error(`cannot be used: ${problems.join(" ")}`);
  };
  try {
    const secret = Secret.fromFile(file, check);
    secret.watch("CONSOLE_USERS_FILE", log);
    return () => parseUsers(secret.reveal()).users;
  } catch (error) {
    throw problemsError([{ variable: "CONSOLE_USERS_FILE", message: messageOf(error) }]);
  }
};

const serveConsole = async (io: Io): Promise<void> => {
  const config = configOf(io, "console");
  const { host, port, auth, usersFile } = config.console;
  const log = createLog(config.bridge.logLevel, io.ends);
  const users = auth === "basic" ? usersOf(usersFile ?? "", log) : () => [];
  const services = createServices(config, { clock: systemClock, log });
  const warn = (sentence: string): void => log.warn({ sentence }, "console.warning");
  const site = createSite({ users, version: versionOf(), from: fromHere("console") }, { ...services, warn });
  const server = openConsole(site);
  try {
    const bound = await server.listen(host, port);
    const address = `http://${host.includes(":") ? `[${host}]` : host}:${bound.port}`;
    log.info({ address, auth }, "console.running");
    await untilAborted(io.stopped);
    log.info({}, "console.stopping");
  } finally {
    await server.close(DRAIN_MS);
    await systemClock.within(CLOSE_MS, undefined, site.close()).catch(() => undefined);
    services.close();
    await systemClock.within(DRAIN_MS, undefined, log.flush()).catch(() => undefined);
  }
};

export const consoleCommand = (io: Io): Command =>
  newCommand("console", "Serve the web page for operators.", "console").action(() => serveConsole(io));
