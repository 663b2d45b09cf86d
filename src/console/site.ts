import type { HttpBindings } from "@hono/node-server";
import type { Context } from "hono";
import type { Actor, Role } from "../operate/actor.ts";
import type { AuditPage } from "../operate/audit/read.ts";
import type { Connections } from "../operate/connections.ts";
import type { LetterList } from "../operate/dead-letters/list.ts";
import type { Plan } from "../operate/dead-letters/plan.ts";
import type { ShownLetter } from "../operate/dead-letters/show.ts";
import type { Doubt } from "../operate/doubts/doubts.ts";
import type { DoubtFacts } from "../operate/doubts/facts.ts";
import type { ControlEntries } from "../operate/pause.ts";
import type { TopicRate } from "../operate/rates.ts";
import type { Proposal } from "../operate/resolve/proposal.ts";
import type { Status } from "../operate/status.ts";
import type { Story } from "../operate/story/story.ts";
import { readingsOf } from "./readings.ts";
import { shareDoubts } from "./shared-doubts.ts";
import { createTasks } from "./tasks.ts";
import type { User } from "./sign-in/users.ts";

/** Who has signed in. */
export type Person = { name: string; role: Role };

/** How people sign in. `none`: read only, and only on this machine's own names. */
export type Auth =
  | { kind: "none" }
  | { kind: "basic"; users: () => readonly User[] }
  | {
      kind: "proxy-header";
      header: string;
      /** Whether the address is of a trusted proxy (CONSOLE_TRUSTED_PROXY_CIDRS). */
      isTrusted: (address: string) => boolean;
      /** Names of the operators; every other user of the proxy is a viewer. */
      operators: readonly string[];
    };

export type ConsoleOptions = {
  auth: Auth;
  version: string;
  /** Written to the audit topic with each action. */
  from: Actor["from"];
};

/** A page of doubts that a search found. */
export type FoundDoubts = readonly Doubt[];

/** How long what is shown on the overview may be old: it is loaded every few seconds, maybe by many. */
const FRESH_MS = 4_000;
/** Counting all dead letters, and asking for an hour's offsets, is more work. */
const SLOW_MS = 60_000;

/** What every page gets: Kafka, and what requests are reading. Nothing else is kept between requests. */
export const createSite = (options: ConsoleOptions, connections: Connections) => {
  const { clock } = connections.services;
  const readings = {
    status: readingsOf<Status>(clock, FRESH_MS),
    pauses: readingsOf<ControlEntries>(clock, FRESH_MS),
    rates: readingsOf<readonly TopicRate[]>(clock, SLOW_MS),
    counts: readingsOf<LetterList>(clock, SLOW_MS),
    found: readingsOf<FoundDoubts>(clock),
    facts: readingsOf<DoubtFacts>(clock, SLOW_MS),
    proposals: readingsOf<readonly Proposal[]>(clock),
    letters: readingsOf<LetterList>(clock),
    letter: readingsOf<ShownLetter | null>(clock),
    plans: readingsOf<Plan>(clock, SLOW_MS),
    stories: readingsOf<Story>(clock),
    audit: readingsOf<AuditPage>(clock),
  };
  const doubts = shareDoubts(connections);
  const tasks = createTasks<ConsoleContext>(connections.services);
  return {
    options,
    connections,
    settings: connections.config.console,
    clock,
    log: connections.services.log,
    readings,
    doubts,
    tasks,
    close: async (): Promise<void> => {
      Object.values(readings).forEach((each) => each.close());
      await Promise.all([doubts.close(), tasks.close()]);
    },
  };
};

/** `person`: null where nobody signs in, and before that is known. */
export type ConsoleEnv = { Bindings: HttpBindings; Variables: { site: Site; person: Person | null } };
export type ConsoleContext = Context<ConsoleEnv>;
export type Site = ReturnType<typeof createSite>;
export type Answer = Response | Promise<Response>;
