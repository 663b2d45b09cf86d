import { UsageError } from "../runtime/errors.ts";
import type { Log } from "../runtime/log.ts";
import { secretsIn, standardWebhooksKey } from "../runtime/secret-list.ts";
import type { Config } from "./config.ts";

/** What is wrong with the text of WEBHOOK_SECRET, as the end of a sentence; null when it is valid. */
export const webhookSecretFault = (auth: Config["webhook"]["auth"], text: string): string | null => {
  if (auth === undefined || auth === "none") return null;
  const secrets = secretsIn(text);
  if (secrets.length === 0) return "holds nothing but commas";
  if (auth === "standard-webhooks" && secrets.some((secret) => standardWebhooksKey(secret) === null))
    return "holds a secret that is not base64 (usually after whsec_), which WEBHOOK_AUTH=standard-webhooks needs";
  if (auth === "path-token" && secrets.some((secret) => secret === "." || secret === ".."))
    return "holds a secret that cannot be the end of a path: a segment of dots changes the path";
  return null;
};

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
