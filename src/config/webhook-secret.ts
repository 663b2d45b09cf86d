import { UsageError } from "../runtime/errors.ts";
import type { Log } from "../runtime/log.ts";
import { secretsIn } from "../runtime/secret-list.ts";
import type { Config } from "./config.ts";
import { webhookSecretFault } from "./rules.ts";

/**
 * The secrets that are accepted now; the setting may be a file that changes. Throws a UsageError if there are none at
 * the start; later the last valid ones stay in force.
 */
export const webhookSecrets = ({ webhook }: Config, log?: Pick<Log, "warn">): (() => readonly string[]) => {
  const reveal = (): string => webhook.secret?.reveal() ?? "";
  let text = reveal();
  const fault = webhookSecretFault(webhook.auth, text);
  if (fault !== null) throw new UsageError(`WEBHOOK_SECRET ${fault}.`);
  let secrets = secretsIn(text);
  return () => {
    const now = reveal();
    if (now === text) return secrets;
    text = now;
    const reason = webhookSecretFault(webhook.auth, now);
    if (reason === null) secrets = secretsIn(now);
    else log?.warn({ variable: "WEBHOOK_SECRET", reason }, "secret.refused");
    return secrets;
  };
};
