import type { Config } from "../config/config.ts";
import { isPrivateUrl } from "../config/read.ts";
import { isLoopback, rangesOf } from "../runtime/cidr.ts";
import { secretsIn } from "../runtime/secret-list.ts";
import { fail, ok, warn, type Bounds, type Check } from "./check.ts";
import { expiresSoon, explainFailure, missingTls, reach, type Target } from "./connection.ts";
import { ask, NO_TOKEN } from "./listener.ts";
import { judge, notStarted } from "./webhook-verdict.ts";

const ANSWER_MS = 4_000;

/** The address at which the partner reaches the listener. `setting`: where it was given. */
export type PublicUrl = { url: URL; setting: string };

/**
 * The user and password of an address as a header: `fetch` refuses such addresses, and its error quotes them.
 */
const credentialsOf = ({ username, password }: URL): Record<string, string> =>
  username === "" && password === ""
    ? {}
    : {
        authorization: `Basic ${Buffer.from([username, password].map(decodeURIComponent).join(":")).toString("base64")}`,
      };

/** The address without credentials, without a slash at its end, and without a path token that is in force. */
const withoutSecrets = (given: URL, { webhook }: Config): URL => {
  const url = new URL(given);
  url.username = url.password = "";
  if (webhook.auth !== "path-token") return url;
  const secrets = secretsIn(webhook.secret?.reveal() ?? "");
  const segments = url.pathname.replace(/\/+$/, "").split("/");
  const last = segments.at(-1);
  if (secrets.some((secret) => secret === last || encodeURIComponent(secret) === last)) segments.pop();
  url.pathname = segments.join("/");
  return url;
};

/** With another path token, so that the listener does not accept the request as a notification. */
const withWrongToken = (given: URL): URL => {
  const url = new URL(given);
  url.pathname = `${url.pathname.replace(/\/$/, "")}/${NO_TOKEN}`;
  return url;
};

/** Asks the listener at its public address, without a signature. */
const askAddress = async (
  config: Config,
  { url, setting }: PublicUrl,
  mayRun: boolean,
  bounds: Bounds,
): Promise<Check[]> => {
  const { clock, signal } = bounds;
  const { auth } = config.webhook;
  const name = `webhook ${url.host}`;
  const target: Target = { url, tls: {}, setting, caSetting: null };
  const reached = await reach(target, bounds);
  if (!reached.ok) {
    if (reached.refused && !mayRun) return [notStarted(fail(name, reached.detail, reached.remedy))];
    return [fail(name, `${reached.detail}; the partner cannot deliver`, reached.remedy)];
  }
  const given = withoutSecrets(url, config);
  const asked = auth === "path-token" ? withWrongToken(given) : given;
  const send = (method: "GET" | "POST") =>
    ask(method, asked, { headers: credentialsOf(url), ms: ANSWER_MS }, bounds);
  try {
    const post = auth === "none" ? null : await send("POST");
    const get = await send("GET");
    // Some servers answer a request without TLS with 400.
    const noTls = (post ?? get).status === 400 ? await missingTls(target, bounds) : null;
    if (noTls) return [fail(name, `${noTls.detail}; the partner cannot deliver`, noTls.remedy)];
    const soon = expiresSoon(reached.expiresMs, clock);
    const more = [
      ...(soon === null
        ? []
        : [warn(name, soon, "have it renewed: the partner delivers nothing over an expired one")]),
      ...(!isPrivateUrl(url.href)
        ? [
            warn(
              name,
              "it is no https: anybody on the way reads notifications",
              "terminate TLS in front of it",
            ),
          ]
        : []),
    ];
    return [judge({ name, path: given.pathname, setting }, post, get, mayRun, config), ...more];
  } catch (error) {
    signal.throwIfAborted();
    const { detail, remedy } = (await missingTls(target, bounds)) ?? explainFailure(error, target);
    return [fail(name, `${detail}; the partner cannot deliver`, remedy)];
  }
};

const isInPrivateRange = rangesOf([
  "10.0.0.0/8",
  "172.16.0.0/12",
  "192.168.0.0/16",
  "169.254.0.0/16",
  "fc00::/7",
  "fe80::/10",
]);
const hostOf = ({ hostname }: URL): string => hostname.replace(/^\[|\]$/g, "");

/** A warning of an address that only this machine, or only its network, can reach, unless the partner is there, too. */
const unreachable = ({ url, setting }: PublicUrl, { partner }: Config): Check[] => {
  const host = hostOf(url);
  const partnerHost = partner.baseUrl === undefined ? "" : hostOf(new URL(partner.baseUrl));
  const isNear = isLoopback(partnerHost) || isInPrivateRange(partnerHost) || !/[.:]/.test(partnerHost);
  if (isLoopback(host) ? isLoopback(partnerHost) : !isInPrivateRange(host) || isNear) return [];
  const where = isLoopback(host) ? "an address of this machine" : "a private address";
  return [
    warn(
      `webhook ${url.host}`,
      `it is ${where}: the partner cannot reach it`,
      `name the address that the partner calls in ${setting}`,
    ),
  ];
};

/**
 * Checks that the listener answers at its public address, and accepts no notification without proof. `mayRun`:
 * whether a bridge may run on this machine.
 */
export const checkWebhook = async (
  config: Config,
  publicUrl: PublicUrl,
  mayRun: boolean,
  bounds: Bounds,
): Promise<Check[]> => {
  const checks = [
    ...(await askAddress(config, publicUrl, mayRun, bounds)),
    ...unreachable(publicUrl, config),
  ];
  if (config.webhook.auth === "none")
    checks.push(
      warn(
        `webhook ${publicUrl.url.host}`,
        "WEBHOOK_AUTH=none: anybody who reaches it can write events",
        "set how the partner proves itself",
      ),
    );
  return checks;
};

export const NOT_ASKED: Check = warn(
  "webhook",
  "whether it answers from outside was not asked",
  "set WEBHOOK_PUBLIC_URL, or give --webhook-url",
);

export const NOT_USED: Check = ok("webhook", "FLOWS leaves webhooks out");
