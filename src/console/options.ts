import type { HttpBindings } from "@hono/node-server";
import type { Actor, Role } from "../operator/action.ts";
import type { Clock } from "../runtime/clock.ts";
import type { Log } from "../runtime/log.ts";
import type { Outcomes } from "./forms/outcomes.ts";
import type { Tokens } from "./forms/tokens.ts";
import type { LastAnswers } from "./pages/last-answers.ts";
import type { Actions, AuditPage, LettersPage, Queries } from "./ports.ts";
import type { User } from "./users.ts";

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
  /** `https://host[:port]` as browsers see it, where a proxy changes the Host; null: what Host says. */
  origin: string | null;
  /** Four eyes: a second operator must approve the end of a doubt. */
  fourEyes: boolean;
  version: string;
  topics: { deadLetters: string };
  /** Written to the audit topic with each action. */
  from: Actor["from"];
};

export type ConsolePorts = { queries: Queries; actions: Actions | null; clock: Clock; log: Log };

/** What every page gets. */
export type Site = ConsolePorts & {
  options: ConsoleOptions;
  tokens: Tokens;
  outcomes: Outcomes;
  lastLetters: LastAnswers<LettersPage>;
  lastAudit: LastAnswers<AuditPage>;
};

export type ConsoleEnv = {
  Bindings: HttpBindings;
  /** `person`: null where nobody signs in, and before that is known. */
  Variables: { site: Site; person: Person | null };
};
