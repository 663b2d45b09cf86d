import type { Config } from "../config/config.ts";
import { isPrivateUrl } from "../config/addresses.ts";
import { isLoopback } from "../runtime/cidr.ts";
import { secretsIn } from "../runtime/secret-list.ts";
import { fail, ok, warn, type Bounds, type Check } from "./check.ts";
import { explainFailure, missingTls, reach, type Target } from "./connection.ts";

const ANSWER_MS = 4_000;
/** Sent in place of the path token; the bridge must refuse it. */
const NO_TOKEN = "cambio-bridge-doctor";

/** The address at which the partner reaches the listener. `setting`: where it was given. */
export type PublicUrl = { url: URL; setting: string };

/** An answer of a webhook address. `allow`: its header of that name. */
type Answer = { status: number; allow: string | null };

/** Whether a GET is answered as the bridge's listener answers it. Others that answer 405 allow GET or say nothing. */
const isOfBridge = ({ status, allow }: Answer): boolean => status === 405 && allow?.trim() === "POST";

/** The address without credentials, and with another path token, so that no notification is accepted. */
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

/** Sends an empty notification without proof, or a GET. Reads nothing of the answer's body. */
const ask = (
  method: "GET" | "POST",
  given: URL,
  config: Config,
  { clock, signal }: Bounds,
): Promise<Answer> =>
  clock.withDeadline(ANSWER_MS, signal, async (each) => {
    const headers = new Headers({ "content-type": "application/json" });
    // `fetch` refuses an address with credentials, and its error quotes them.
    if (given.username !== "" || given.password !== "") {
      const pair = [given.username, given.password].map(decodeURIComponent).join(":");
      headers.set("authorization", `Basic ${Buffer.from(pair).toString("base64")}`);
    }
    const body = method === "POST" ? "{}" : null;
    const url = withoutSecrets(given, config);
    const answer = await fetch(url, { method, redirect: "manual", signal: each, headers, body });
    await answer.body?.cancel();
    return { status: answer.status, allow: answer.headers.get("allow") };
  });

/** What is wrong where the answer is not the bridge's, and what to do. */
const faultOf = (status: number, setting: string, { webhook }: Config): readonly [string, string] => {
  const path = `compare the path of ${setting} with WEBHOOK_PATH (${webhook.path}) and the ingress' rules`;
  if (status >= 200 && status < 300)
    return [`something else answers there, not the bridge (${status}): notifications are lost there`, path];
  if (status === 401 || status === 403)
    return [
      `something in front answers ${status}: the partner would not come through either`,
      "let POST requests pass to the bridge without credentials: it checks signatures itself",
    ];
  if (status >= 300 && status < 400)
    return [
      `it redirects (${status}), which senders of webhooks do not follow`,
      "subscribe the address that it leads to",
    ];
  if (status === 404 || status === 405)
    return [
      `it answers ${status}, and not as the bridge does: notifications are lost there`,
      `${path}, or the bridge runs with another WEBHOOK_AUTH`,
    ];
  return status >= 502 && status <= 504
    ? [
        `it answers ${status}: the bridge is not ready, or the ingress does not reach it`,
        "see /readyz of the bridge, the ingress' endpoints, WEBHOOK_HOST and WEBHOOK_PORT, and NetworkPolicies",
      ]
    : [`it answers ${status}, and not as the bridge does`, "see what stands in front of the bridge"];
};

/** What the answers to a POST without a signature and to a GET say. `post` is null where none was sent. */
const judge = (name: string, setting: string, post: Answer | null, get: Answer, config: Config): Check => {
  const isPathToken = config.webhook.auth === "path-token";
  if (post === null)
    return isOfBridge(get)
      ? ok(name, "answers from outside")
      : fail(name, ...faultOf(get.status, setting, config));
  const { status } = post;
  if (!isOfBridge(get)) {
    if (status === 401 && !isPathToken && [403, 404, 405].includes(get.status))
      return warn(
        name,
        `it answers 401 as the bridge does, but ${get.status} to a GET, where the bridge answers 405 with Allow: POST: either something in front passes only POST, or it is not the bridge that answers`,
        'run doctor again, and see that cambio_bridge_webhook_requests_total{code="401"} of a replica grows by one',
      );
    return fail(name, ...faultOf(status, setting, config));
  }
  if (status >= 200 && status < 300)
    return fail(
      name,
      `it answers ${status} to a notification without a signature: anybody can write events (this one is a dead letter now)`,
      "set WEBHOOK_AUTH to how the partner proves itself, and start the bridge anew",
    );
  if (status === (isPathToken ? 404 : 401))
    return ok(
      name,
      `answers from outside, and ${status} without a signature (the secret itself was not tried)`,
    );
  return status === 401
    ? ok(name, "answers from outside, and refuses this machine by its address (WEBHOOK_ALLOWED_CIDRS)")
    : fail(name, ...faultOf(status, setting, config));
};

/** What is seen of a bridge that does not run. Before the first start that is no fault. */
const notStarted = ({ name, detail }: Check): Check =>
  warn(
    name,
    `${detail}; no bridge runs here yet, so it could not be asked`,
    "start it, then run doctor again; where it runs elsewhere, run doctor there",
  );

/** Asks the listener at its public address, without a signature. */
const askAddress = async (
  config: Config,
  { url, setting }: PublicUrl,
  mayRun: boolean,
  bounds: Bounds,
): Promise<Check[]> => {
  const name = `webhook ${url.host}`;
  const target: Target = { url, tls: {}, setting, caSetting: null };
  const reached = await reach(target, bounds);
  if (!reached.ok) {
    const found = fail(name, `${reached.detail}; the partner cannot deliver`, reached.remedy);
    return [reached.isRefused && !mayRun ? notStarted(found) : found];
  }
  try {
    const post = config.webhook.auth === "none" ? null : await ask("POST", url, config, bounds);
    const get = await ask("GET", url, config, bounds);
    const { status } = post ?? get;
    // Some servers answer a request without TLS with 400.
    const noTls = status === 400 ? await missingTls(target, bounds) : null;
    if (noTls) return [fail(name, `${noTls.detail}; the partner cannot deliver`, noTls.remedy)];
    const judged = judge(name, setting, post, get, config);
    return [!mayRun && status >= 502 && status <= 504 ? notStarted(judged) : judged];
  } catch (error) {
    bounds.signal.throwIfAborted();
    const { detail, remedy } = (await missingTls(target, bounds)) ?? explainFailure(error, target);
    return [fail(name, `${detail}; the partner cannot deliver`, remedy)];
  }
};

/** What the address itself says. */
const checkAddress = ({ url, setting }: PublicUrl, { partner, webhook }: Config): Check[] => {
  const name = `webhook ${url.host}`;
  const partnerHost = partner.baseUrl === undefined ? "" : new URL(partner.baseUrl).hostname;
  const warnings: [boolean, string, string][] = [
    [
      !isPrivateUrl(url.href),
      "it is no https: anybody on the way reads notifications",
      "terminate TLS in front of it",
    ],
    [
      isLoopback(url.hostname) && !isLoopback(partnerHost),
      "it is an address of this machine: the partner cannot reach it",
      `name the address that the partner calls in ${setting}`,
    ],
    [
      webhook.auth === "none",
      "WEBHOOK_AUTH=none: anybody who reaches it can write events",
      "set how the partner proves itself",
    ],
  ];
  return warnings.flatMap(([applies, detail, remedy]) => (applies ? [warn(name, detail, remedy)] : []));
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
): Promise<Check[]> => [
  ...(await askAddress(config, publicUrl, mayRun, bounds)),
  ...checkAddress(publicUrl, config),
];

export const NOT_ASKED: Check = warn(
  "webhook",
  "whether it answers from outside was not asked",
  "set WEBHOOK_PUBLIC_URL, or give --webhook-url",
);

export const NOT_USED: Check = ok("webhook", "FLOWS leaves webhooks out");
