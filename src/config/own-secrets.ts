import type { Config } from "./config.ts";
import { webhookSecretFault } from "./webhook-secret.ts";
import { UsageError } from "../runtime/errors.ts";
import type { Log } from "../runtime/log.ts";
import { madeFrom } from "../runtime/made-from.ts";
import { isSecret, maskFor } from "../runtime/mask.ts";
import { passwordsIn } from "../runtime/percent.ts";
import { secretsIn } from "../runtime/secret-list.ts";

/**
 * The secrets that the partner knows, from the subscribed URL, from our calls or because it signs with them. It may
 * repeat them and, for a while after a rotation, those that were in force before.
 */
export const secretsOfPartner = ({ webhook, partner }: Config): string[] =>
  [webhook.secret, partner.accessToken, partner.xToken].flatMap((setting) =>
    setting ? [setting.reveal(), ...setting.replaced()].flatMap((text) => [text, ...secretsIn(text)]) : [],
  );

/** Masks those, and the password of the proxy. */
export const maskOwnSecrets = (config: Config): ((text: string) => string) => {
  const { secret } = config.webhook;
  const { accessToken, xToken, proxyUrl } = config.partner;
  const settings = [secret, accessToken, xToken, proxyUrl].filter((setting) => setting !== undefined);
  const maskOf = madeFrom(() => {
    const passwords = proxyUrl ? passwordsIn(new URL(proxyUrl.reveal())) : [];
    const secrets = [...secretsOfPartner(config), ...passwords];
    return maskFor(secrets.filter(isSecret));
  });
  return (text) => maskOf(settings.map((setting) => setting.reveal()))(text);
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
    const latest = reveal();
    if (latest === text) return secrets;
    text = latest;
    const reason = webhookSecretFault(webhook.auth, latest);
    if (reason === null) secrets = secretsIn(latest);
    else log?.warn({ variable: "WEBHOOK_SECRET", reason }, "secret.refused");
    return secrets;
  };
};
