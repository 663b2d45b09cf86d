import { PREFIX, secretsIn, standardWebhooksKey } from "../runtime/secret-list.ts";
import type { Config } from "./config.ts";

/** A `#` without quotes in an env file leaves the beginning of a secret. */
const LEAST_CHARACTERS = 16;

/** What is to be warned of in the text of WEBHOOK_SECRET, which strangers may guess; null for nothing. */
export const webhookSecretWarning = (auth: Config["webhook"]["auth"], text: string): string | null =>
  auth !== "none" && secretsIn(text).some((secret) => secret.replace(PREFIX, "").length < LEAST_CHARACTERS)
    ? `holds a secret of fewer than ${LEAST_CHARACTERS} characters, which the next version refuses: choose a longer ` +
      "one, and quote it in an env file, where # may begin a comment"
    : null;

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
