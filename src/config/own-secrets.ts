import { UsageError } from "../runtime/errors.ts";
import { madeFrom, maskFor } from "../runtime/mask.ts";
import { passwordsIn } from "../runtime/percent.ts";
import { PREFIX, itemsIn, standardWebhooksKey } from "../runtime/secret-list.ts";
import type { Config } from "./config.ts";

type Auth = Config["webhook"]["auth"];

/** The partner may repeat what it knows and, for a while after a rotation, what was in force before. */
export const ownSecrets = ({ webhook, partner }: Config): (() => readonly string[]) => {
  const { accessToken, xToken, proxyUrl } = partner;
  const settings = [webhook.secret, accessToken, xToken].filter((setting) => setting !== undefined);
  // A list or a URL in a setting is taken apart once, and not for each call.
  const secretsOf = madeFrom(([proxy = "", ...texts]) => [
    ...(proxy === "" ? [] : passwordsIn(new URL(proxy))),
    ...texts.flatMap((text) => [text, ...itemsIn(text)]),
  ]);
  return () => {
    const texts = settings.flatMap((setting) => [setting.reveal(), ...setting.replaced()]);
    return secretsOf([proxyUrl?.reveal() ?? "", ...texts]);
  };
};

export const maskOwnSecrets = (config: Config): ((text: string) => string) => {
  const secrets = ownSecrets(config);
  const maskOf = madeFrom(maskFor);
  return (text) => maskOf(secrets())(text);
};

/** A `#` without quotes in an env file leaves the beginning of a secret. */
const LEAST_CHARACTERS = 16;

export const webhookSecretWarning = (auth: Auth, text: string): string | null =>
  auth !== "none" && itemsIn(text).some((secret) => secret.replace(PREFIX, "").length < LEAST_CHARACTERS)
    ? `holds a secret of fewer than ${LEAST_CHARACTERS} characters, which the next version refuses: choose a longer ` +
      "one, and quote it in an env file, where # may begin a comment"
    : null;

/** Returns the fault as the end of a sentence, or null. */
export const webhookSecretFault = (auth: Auth, text: string): string | null => {
  if (auth === undefined || auth === "none") return null;
  const secrets = itemsIn(text);
  if (secrets.length === 0) return "holds nothing but commas";
  if (auth === "standard-webhooks" && secrets.some((secret) => standardWebhooksKey(secret) === null))
    return "holds a secret that is not base64 (usually after whsec_), which WEBHOOK_AUTH=standard-webhooks needs";
  if (auth === "path-token" && secrets.some((secret) => secret === "." || secret === ".."))
    return "holds a secret that cannot be the end of a path: a segment of dots changes the path";
  return null;
};

/** Throws a UsageError if the secrets cannot be used now; later the last valid ones stay in force. */
export const webhookSecrets = ({ webhook: { auth, secret } }: Config): (() => readonly string[]) => {
  if (secret === undefined) return () => [];
  secret.mustPass((text) => {
    const fault = webhookSecretFault(auth, text);
    if (fault !== null) throw new UsageError(`WEBHOOK_SECRET ${fault}.`);
  });
  let text = secret.reveal();
  let secrets = itemsIn(text);
  return () => {
    const latest = secret.reveal();
    if (latest !== text) secrets = itemsIn(latest);
    text = latest;
    return secrets;
  };
};
