import type { Config } from "../config/config.ts";
import { webhookSecretFault } from "../config/webhook-secret.ts";
import { UsageError } from "../runtime/errors.ts";
import { secretsIn } from "../runtime/secret-list.ts";

/**
 * The secrets that are accepted now; the setting may be a file that changes. Throws a UsageError if there are none at
 * the start.
 * @param refused told why later ones cannot be used: the last valid secrets stay in force
 */
export const webhookSecrets = (
  { webhook }: Config,
  refused: (reason: string) => void = () => undefined,
): (() => readonly string[]) => {
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
    else refused(reason);
    return secrets;
  };
};
