import { hostname } from "node:os";
import type { AddressInfo } from "node:net";
import { Command } from "commander";
import { createServices } from "../services/services.ts";
import { closeServer, listen } from "../bridge/listen.ts";
import type { Config } from "../config/config.ts";
import { Secret } from "../config/secret.ts";
import { createConsoleServer } from "../console/app.ts";
import { createSite, type Auth, type ConsoleOptions } from "../console/site.ts";
import { parseUsers, type User } from "../console/sign-in/users.ts";
import { createLog } from "../ops/log.ts";
import { rangesOf } from "../runtime/cidr.ts";
import { systemClock } from "../runtime/clock.ts";
import { userName } from "./actor.ts";
import { examples } from "./help.ts";
import { ConfigError, configOf, EXIT, type ExitCode, type Io, untilAborted, versionOf } from "./io.ts";

/** How long open responses may go on. */
const DRAIN_MS = 2_000;
/** With the two drains less than the 30 s that orchestrators wait. */
const CLOSE_MS = 20_000;

const checked = (text: string): readonly User[] => {
  const { users, problems } = parseUsers(text);
  if (problems.length > 0) throw new Error(`cannot be used: ${problems.join(" ")}`);
  return users;
};

/**
 * Reads the users from the file, again when it changes; a half-written file leaves the earlier users. Throws a
 * ConfigError when the first reading fails.
 */
const usersOf = (file: string): (() => readonly User[]) => {
  try {
    const secret = Secret.fromFile(file, (text) => void checked(text));
    let known: { text: string; users: readonly User[] } | null = null;
    return () => {
      const text = secret.reveal();
      if (known?.text !== text) known = { text, users: checked(text) };
      return known.users;
    };
  } catch (error) {
    throw new ConfigError(
      `The configuration has a problem:\n  CONSOLE_USERS_FILE ${(error as Error).message}`,
      {
        cause: error,
      },
    );
  }
};

const authOf = ({ console: settings }: Config): Auth => {
  const { auth, usersFile, userHeader, trustedProxyCidrs, operators } = settings;
  switch (auth) {
    case "none":
      return { kind: "none" };
    case "basic":
      return { kind: "basic", users: usersOf(usersFile ?? "") };
    case "proxy-header":
      return { kind: "proxy-header", header: userHeader, isTrusted: rangesOf(trustedProxyCidrs), operators };
  }
};

const serveConsole = async (io: Io): Promise<ExitCode> => {
  const config = configOf(io, "console");
  const { host, port, auth } = config.console;
  const log = createLog(config.bridge.logLevel, io);
  const options: ConsoleOptions = {
    auth: authOf(config),
    version: versionOf(),
    from: { host: hostname(), user: userName(), program: "console" },
  };
  const services = createServices(config, systemClock, log);
  const site = createSite(options, { config, services });
  const server = createConsoleServer(site);
  try {
    const address: AddressInfo = await listen(server, host, port, "CONSOLE_PORT");
    log.info(
      { address: `http://${host.includes(":") ? `[${host}]` : host}:${address.port}`, auth },
      "console.running",
    );
    await untilAborted(io.stopped);
    log.info({}, "console.stopping");
    return EXIT.done;
  } finally {
    await closeServer(server, DRAIN_MS);
    await systemClock.within(CLOSE_MS, undefined, site.close()).catch(() => undefined);
    services.close();
    await systemClock.within(DRAIN_MS, undefined, log.flush()).catch(() => undefined);
  }
};

export const consoleCommand = (io: Io, exit: (code: ExitCode) => void): Command =>
  new Command("console")
    .description("Serve the web page for operators.")
    .addHelpText("after", examples("console"))
    .action(async () => exit(await serveConsole(io)));
