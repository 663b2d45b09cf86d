import type { Config } from "../config/config.ts";
import { webhookSecretFault } from "../config/webhook-secret.ts";
import { UsageError } from "../runtime/errors.ts";
import { secretsIn } from "../runtime/secret-list.ts";

/**
 * The secrets that are accepted now; the setting may be a file that changes. An invalid text is taken for a
 * file that is being written: the last valid secrets stay in force. Throws a UsageError if there are none at
 * the start.
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
