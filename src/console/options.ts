import type { HttpBindings } from "@hono/node-server";
import type { Actor, Role } from "../operator/action.ts";
import type { Clock } from "../runtime/clock.ts";
import type { Log } from "../runtime/log.ts";
import type { Outcomes } from "./forms/outcomes.ts";
import type { Tokens } from "./forms/tokens.ts";
import type { Acting, Reading } from "./ports.ts";
import type { User } from "./users.ts";

/** Who has signed in. */
export type Person = { name: string; role: Role };

/** How people sign in. `none`: nobody does, and nothing can be done. */
export type Auth =
  | { kind: "none" }
  | { kind: "basic"; users: () => readonly User[] }
  | {
      kind: "proxy-header";
      header: string;
      /** Whether the address is of a proxy, whose word on the user is believed. */
      isTrusted: (address: string) => boolean;
      /** Names of those who may act; whoever else the proxy lets in may look. */
      operators: readonly string[];
    };

export type ConsoleOptions = {
  auth: Auth;
  /** `https://host[:port]` as browsers see it, where a proxy changes the Host; null: what Host says. */
  origin: string | null;
  /** A second operator confirms the end of a doubt. */
  fourEyes: boolean;
  version: string;
  topics: { deadLetters: string };
  /** From where people act, for the audit topic. */
  from: Actor["from"];
};

export type ConsolePorts = { reading: Reading; acting: Acting | null; clock: Clock; log: Log };

/** What every page needs. */
export type Site = ConsolePorts & { options: ConsoleOptions; tokens: Tokens; outcomes: Outcomes };

export type ConsoleEnv = {
  Bindings: HttpBindings;
  /** `person`: null where nobody signs in, and before that is known. */
  Variables: { site: Site; person: Person | null };
};
