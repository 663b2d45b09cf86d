import type { Config } from "../config/config.ts";
import { isPrivateUrl } from "../config/read.ts";
import { secretsIn } from "../runtime/secret-list.ts";
import { fail, ok, warn, type Bounds, type Check } from "./check.ts";
import { expiresSoon, explainFailure, reach, type Target } from "./connection.ts";

const ANSWER_MS = 4_000;

/** Sent in place of the path token; the bridge must refuse it. */
const NO_TOKEN = "cambio-bridge-doctor";

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

/**
 * Without credentials, and with another path token, so that the listener does not accept the request as a
 * notification.
 */
const withoutSecrets = (given: URL, { webhook }: Config): URL => {
  const url = new URL(given);
  url.username = url.password = "";
  if (webhook.auth !== "path-token") return url;
  const secrets = secretsIn(webhook.secret?.reveal() ?? "");
  const segments = url.pathname.replace(/\/+$/, "").split("/");
  const last = segments.at(-1);
  if (secrets.some((secret) => secret === last || encodeURIComponent(secret) === last)) segments.pop();
  url.pathname = [...segments, NO_TOKEN].join("/");
  return url;
};

/** What is wrong where `status` is not the bridge's answer. */
const faultOf = (name: string, status: number, got: number, expected: number, { webhook }: Config): Check => {
  if (status === 401 || status === 403)
    return fail(
      name,
      `something in front answers ${status}, to a GET ${got}: the partner would not come through either`,
      "let POST requests pass to the bridge without credentials: it checks signatures itself",
    );
  if (status >= 300 && status < 400)
    return fail(
      name,
      `it redirects (${status}), which senders of webhooks do not follow`,
      "subscribe the address that it leads to",
    );
  if (status === 404 || status === 405)
    return fail(
      name,
      `it answers ${status}, and not as the bridge does: notifications are lost there`,
      `see the path (WEBHOOK_PATH is ${webhook.path}) and the ingress' rules`,
    );
  if (status === 503)
    return fail(
      name,
      "it answers 503: the bridge is not ready, or the ingress has none",
      "see /readyz of the bridge, and the ingress' endpoints",
    );
  if (status === 502 || status === 504)
    return fail(
      name,
      `the ingress answers ${status}: it does not reach the bridge`,
      "see WEBHOOK_HOST and WEBHOOK_PORT, the service's port, and NetworkPolicies",
    );
  return fail(name, `it answers ${status}, and not ${expected}`, "see what stands in front of the bridge");
};

/** What the answers to a POST without a signature and to a GET say. */
const judgeStatus = (name: string, posted: number, got: number, config: Config): Check => {
  const isPathToken = config.webhook.auth === "path-token";
  const expected = isPathToken ? 404 : 401;
  if (posted >= 200 && posted < 300)
    return fail(
      name,
      `it answers ${posted} to a notification without a signature: anybody can write events (this one is a dead letter now)`,
      "set WEBHOOK_AUTH to how the partner proves itself, and start the bridge anew",
    );
  if (posted === expected && got === 405)
    return ok(name, `answers from outside, and ${posted} without a signature`);
  if (posted === 401 && isPathToken && got === 405)
    return ok(name, "answers from outside, and refuses this machine by its address (WEBHOOK_ALLOWED_CIDRS)");
  if (posted === 401 && !isPathToken && (got === 403 || got === 404))
    return warn(
      name,
      `it answers 401 as the bridge does, but ${got} to a GET, where the bridge answers 405: either something in front passes only POST, or it is not the bridge that answers`,
      'run doctor again, and see that cambio_bridge_webhook_requests_total{code="401"} of a replica grows by one',
    );
  return faultOf(name, posted, got, expected, config);
};

/** With WEBHOOK_AUTH=none a POST would be taken for a notification, so that there is only the answer to a GET. */
const judgeGet = (name: string, got: number, config: Config): Check =>
  got === 405 ? ok(name, "answers from outside") : faultOf(name, got, got, 405, config);

/** Asks the listener at its public address, without a signature. */
const askAddress = async (config: Config, { url, setting }: PublicUrl, bounds: Bounds): Promise<Check[]> => {
  const { clock, signal } = bounds;
  const name = `webhook ${url.host}`;
  const target: Target = { url, tls: {}, setting, caSetting: null };
  const reached = await reach(target, bounds);
  if (!reached.ok) return [fail(name, `${reached.detail}; the partner cannot deliver`, reached.remedy)];
  const asked = withoutSecrets(url, config);
  const statusOf = (method: "GET" | "POST"): Promise<number> =>
    clock.withDeadline(ANSWER_MS, signal, async (each) => {
      const headers = { ...credentialsOf(url), "content-type": "application/json" };
      const body = method === "POST" ? "{}" : null;
      const answer = await fetch(asked, { method, redirect: "manual", signal: each, headers, body });
      await answer.body?.cancel();
      return answer.status;
    });
  try {
    const first =
      config.webhook.auth === "none"
        ? judgeGet(name, await statusOf("GET"), config)
        : judgeStatus(name, await statusOf("POST"), await statusOf("GET"), config);
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
    return [first, ...more];
  } catch (error) {
    signal.throwIfAborted();
    const { detail, remedy } = explainFailure(error, target);
    return [fail(name, `${detail}; the partner cannot deliver`, remedy)];
  }
};

/** Checks that the listener answers at its public address, and accepts no notification without proof. */
export const checkWebhook = async (
  config: Config,
  publicUrl: PublicUrl,
  bounds: Bounds,
): Promise<Check[]> => {
  const checks = await askAddress(config, publicUrl, bounds);
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
