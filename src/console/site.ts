import { hash } from "node:crypto";
import { readFileSync } from "node:fs";
import type { HttpBindings } from "@hono/node-server";
import type { Context } from "hono";
import type { Actor, Role } from "../operate/actor.ts";
import type { Tools } from "../operate/tools.ts";
import { rangesOf } from "../runtime/cidr.ts";
import { createReadings, shareDoubts } from "./readings.ts";
import type { User } from "./sign-in/users.ts";

export type ProblemStatus = 400 | 401 | 403 | 404 | 409 | 413 | 415 | 422 | 429 | 500 | 503;

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

type Person = { name: string; role: Role };

/** `users` gives those of CONSOLE_USERS_FILE as it is now. `from` is written to the audit topic with each action. */
type ConsoleOptions = { users: () => readonly User[]; version: string; from: Actor["from"] };

export type Show = (context: ConsoleContext) => PageAnswer;

/** An action that goes on when nobody looks. `submission`: who sent the form, and its content. `done` never rejects. */
export type Task = { submission: string; show: Show; done: Promise<void> };

/** A file that pages load. Its path changes with its text, so that browsers may keep it. */
const readAsset = (name: string, extension: string, type: string) => {
  const text = readFileSync(new URL(`html/${name}.${extension}`, import.meta.url), "utf8");
  const path = `/${name}-${hash("sha256", text).slice(0, 12)}.${extension}`;
  return { path, text, type: `${type}; charset=utf-8` };
};

/** What every page gets: Kafka, and what requests are reading or doing. Nothing else is kept between requests. */
export const createSite = (options: ConsoleOptions, shared: Omit<Tools, "onProgress" | "stopped">) => {
  const { clock, log, config } = shared;
  const stopping = new AbortController();
  const tools: Tools = { ...shared, onProgress: () => undefined, stopped: stopping.signal };
  const readings = createReadings(tools);
  const doubts = shareDoubts(readings);
  const tasks = new Map<string, Task>();
  return {
    options,
    tools,
    clock,
    log,
    doubts,
    tasks,
    style: readAsset("style", "css", "text/css"),
    reload: readAsset("reload", "js", "text/javascript"),
    settings: config.console,
    isTrustedProxy: rangesOf(config.console.trustedProxyCidrs),
    read: readings.read,
    close: async (): Promise<void> => {
      readings.close();
      stopping.abort();
      await Promise.all([doubts.closed(), ...[...tasks.values()].map(({ done }) => done)]);
    },
  };
};

/** `person` is null where nobody signs in, and until the sign-in is checked. */
export type ConsoleEnv = { Bindings: HttpBindings; Variables: { site: Site; person: Person | null } };
export type ConsoleContext = Context<ConsoleEnv>;
export type Site = ReturnType<typeof createSite>;
export type PageAnswer = Response | Promise<Response>;
