import type { HttpBindings } from "@hono/node-server";
import type { Context } from "hono";
import type { Actor, Role } from "../operate/actor.ts";
import type { Connections } from "../operate/connections.ts";
import { createReadings, shareDoubts } from "./readings.ts";
import type { User } from "./sign-in/users.ts";
import { createTasks } from "./tasks.ts";

export type ProblemStatus = 400 | 401 | 403 | 404 | 409 | 413 | 415 | 422 | 429 | 500 | 503;

/** A request that gets no page, as a sentence, and what to do. */
export class Problem extends Error {
  readonly status: ProblemStatus;
  readonly advice: string;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: ProblemStatus, message: string, advice = "", headers: Record<string, string> = {}) {
    super(message);
    this.status = status;
    this.advice = advice;
    this.headers = headers;
  }
}

/** Who has signed in. */
export type Person = { name: string; role: Role };

/**
 * How people sign in. `none`: read only, and only on this machine's own names. `isTrusted`: whether the address is of a
 * trusted proxy. `operators`: their names; every other user of the proxy is a viewer.
 */
export type Auth =
  | { kind: "none" }
  | { kind: "basic"; users: () => readonly User[] }
  | {
      kind: "proxy-header";
      header: string;
      isTrusted: (address: string) => boolean;
      operators: readonly string[];
    };

/** `from`: written to the audit topic with each action. */
export type ConsoleOptions = { auth: Auth; version: string; from: Actor["from"] };

/** What every page gets: Kafka, and what requests are reading or doing. Nothing else is kept between requests. */
export const createSite = (options: ConsoleOptions, connections: Connections) => {
  const { clock, log } = connections.services;
  const readings = createReadings(clock);
  const doubts = shareDoubts(connections, readings);
  const tasks = createTasks<ConsoleContext>(clock);
  return {
    options,
    connections,
    settings: connections.config.console,
    clock,
    log,
    warn: (text: string): void => log.warn({ sentence: text }, "console.warning"),
    read: readings.read,
    doubts,
    tasks,
    close: async (): Promise<void> => {
      readings.close();
      await Promise.all([doubts.closed(), tasks.close()]);
    },
  };
};

/** `person`: null where nobody signs in, and before that is known. */
export type ConsoleEnv = { Bindings: HttpBindings; Variables: { site: Site; person: Person | null } };
export type ConsoleContext = Context<ConsoleEnv>;
export type Site = ReturnType<typeof createSite>;
export type Answer = Response | Promise<Response>;
