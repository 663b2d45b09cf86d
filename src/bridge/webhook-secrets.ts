import type { Config } from "../config/config.ts";
import { webhookSecretFault } from "../config/webhook-secret.ts";
import { UsageError } from "../runtime/errors.ts";
import { secretsIn } from "../runtime/secret-list.ts";

/**
 * The secrets that a notification may be proven with now. A text that could let nobody in is one that somebody is still writing: the last
 * secrets stand. Throws a UsageError where there are none yet.
 */
export const webhookSecrets = ({ webhook }: Config): (() => readonly string[]) => {
  const reveal = (): string => webhook.secret?.reveal() ?? "";
  let text = reveal();
  const fault = webhookSecretFault(webhook.auth, text);
  if (fault !== null) throw new UsageError(`WEBHOOK_SECRET ${fault}.`);
  let secrets = secretsIn(text);
  return () => {
    const now = reveal();
    if (now === text) return secrets;
    text = now;
    if (webhookSecretFault(webhook.auth, now) === null) secrets = secretsIn(now);
    return secrets;
  };
};
