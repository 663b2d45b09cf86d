import type { HttpBindings } from "@hono/node-server";
import type { Context } from "hono";
import type { Actor, Role } from "../operate/actor.ts";
import type { ToolServices } from "../operate/tool-services.ts";
import { rangesOf } from "../runtime/cidr.ts";
import { readAssets } from "./html/assets.ts";
import { createReadings, shareDoubts } from "./readings.ts";
import type { User } from "./sign-in/users.ts";
import { createTasks } from "./tasks.ts";

export type ProblemStatus = 400 | 401 | 403 | 404 | 409 | 413 | 415 | 422 | 429 | 500 | 503;

/** An error that is shown as a page: what is wrong, and what to do. */
export class PageProblem extends Error {
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
type Person = { name: string; role: Role };

/** `users`: of CONSOLE_USERS_FILE, as it is now. `from`: written to the audit topic with each action. */
type ConsoleOptions = { users: () => readonly User[]; version: string; from: Actor["from"] };

/** What every page gets: Kafka, and what requests are reading or doing. Nothing else is kept between requests. */
export const createSite = (options: ConsoleOptions, services: ToolServices) => {
  const { clock, log } = services;
  const readings = createReadings(services);
  const doubts = shareDoubts(services, readings);
  const tasks = createTasks<ConsoleContext>(clock);
  return {
    options,
    assets: readAssets(),
    services,
    settings: services.config.console,
    isTrustedProxy: rangesOf(services.config.console.trustedProxyCidrs),
    clock,
    log,
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
export type PageAnswer = Response | Promise<Response>;
