import type { Config } from "../config/config.ts";
import { isPrivateUrl } from "../config/addresses.ts";
import { fail, isFailed, ok, warn, type Check, type Doctor } from "./check.ts";
import { missingTls, reach, unreachable, type CheckTarget } from "./connection.ts";

const ANSWER_MS = 4_000;
const SETTING = "WEBHOOK_PUBLIC_URL";

type Answer = { status: number; allow: string | null };

/** Sends an empty notification without proof, or a GET. With path-token the bridge must refuse this token. */
const ask = (method: "GET" | "POST", url: URL, { config, clock, signal }: Doctor): Promise<Answer> =>
  clock.withDeadline(ANSWER_MS, signal, async (deadline) => {
    const token = config.webhook.auth === "path-token" ? "/cambio-bridge-doctor" : "";
    const answer = await fetch(`${url.href.replace(/\/$/, "")}${token}`, {
      method,
      redirect: "manual",
      signal: deadline,
      ...(method === "POST" && { headers: { "content-type": "application/json" }, body: "{}" }),
    });
    await answer.body?.cancel();
    return { status: answer.status, allow: answer.headers.get("allow") };
  });

const faultOf = (status: number, { webhook }: Config): readonly [detail: string, remedy: string] => {
  const path =
    `compare the path of ${SETTING} with WEBHOOK_PATH (${webhook.path}), the ingress' rules, and ` +
    "WEBHOOK_AUTH";
  if (status >= 200 && status < 300)
    return [`something else answers there, not the bridge (${status}): notifications are lost there`, path];
  if (status === 401 || status === 403)
    return [
      `something in front answers ${status}: the partner would not come through either`,
      "let POST requests pass to the bridge without credentials: it checks signatures itself",
    ];
  if (status >= 502 && status <= 504)
    return [
      `it answers ${status}: the bridge is not ready, or the ingress does not reach it`,
      "see /readyz of the bridge, the ingress' endpoints, WEBHOOK_HOST and WEBHOOK_PORT, and NetworkPolicies",
    ];
  return [`it answers ${status}, and not as the bridge does: notifications are lost there`, path];
};

/** What the answers to a POST without a signature and to a GET say. `post` is null where none was sent. */
const judge = (name: string, post: Answer | null, get: Answer, config: Config): Check => {
  // Others that answer 405 allow GET, or say nothing.
  const isBridge = get.status === 405 && get.allow?.trim() === "POST";
  const { status } = post ?? get;
  const refusal = config.webhook.auth === "path-token" ? 404 : 401;
  if (isBridge && post === null) return ok(name, "answers");
  if (isBridge && status >= 200 && status < 300)
    return fail(
      name,
      `it answers ${status} to a notification without a signature: anybody can write events (this one is a ` +
        "dead letter now)",
      "set WEBHOOK_AUTH to how the partner proves itself, and start the bridge anew",
    );
  if (isBridge && (status === refusal || status === 401))
    return ok(name, `answers ${status} without a signature (the secret itself was not tried)`);
  // A gateway that asks everybody for credentials answers 401 to a GET, too.
  if (status === 401 && refusal === 401 && [403, 404, 405].includes(get.status))
    return warn(
      name,
      `it answers 401 as the bridge does, but ${get.status} to a GET: something in front passes only POST, ` +
        "or it is not the bridge",
      'run doctor again, and see that cambio_bridge_webhook_requests_total{code="401"} of a replica grows',
    );
  return fail(name, ...faultOf(status, config));
};

const askAddress = async (target: CheckTarget, doctor: Doctor): Promise<Check[]> => {
  const { config, signal } = doctor;
  const reached = await reach(target, doctor);
  if (isFailed(reached)) return reached;
  try {
    // Where no proof is asked for, a POST would be a dead letter.
    const post = config.webhook.auth === "none" ? null : await ask("POST", target.url, doctor);
    const get = await ask("GET", target.url, doctor);
    // Some servers answer a request without TLS with 400.
    const noTls = get.status === 400 ? await missingTls(target, doctor) : [];
    return noTls.length > 0 ? noTls : [judge(target.name, post, get, config), ...reached];
  } catch (error) {
    signal.throwIfAborted();
    const noTls = await missingTls(target, doctor);
    return noTls.length > 0 ? noTls : [unreachable(error, target)];
  }
};

export const checkWebhook = async (doctor: Doctor): Promise<Check[]> => {
  const { flows } = doctor.config.bridge;
  const { auth, publicUrl } = doctor.config.webhook;
  if (!flows.includes("webhooks")) return [ok("webhook", "FLOWS leaves webhooks out")];
  if (publicUrl === undefined)
    return [warn("webhook", "whether it answers from outside was not asked", `set ${SETTING}`)];
  const url = new URL(publicUrl);
  const until = "the partner cannot deliver";
  const name = `webhook ${url.host}`;
  const target: CheckTarget = { name, url, tls: {}, setting: SETTING, caSetting: null, until };
  const checks = await askAddress(target, doctor);
  if (!isPrivateUrl(url.href)) {
    const plain = "it is no https: anybody on the way reads notifications";
    checks.push(warn(name, plain, "terminate TLS in front of it"));
  }
  if (auth === "none") {
    const open = "WEBHOOK_AUTH=none: anybody who reaches it can write events";
    checks.push(warn(name, open, "set how the partner proves itself"));
  }
  return checks;
};
