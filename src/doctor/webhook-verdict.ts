import type { Config } from "../config/config.ts";
import { fail, ok, warn, type Check } from "./check.ts";
import { isOfBridge, type Answer } from "./listener.ts";

/** A webhook address in question. `path`: without a token that is in force. */
export type Asked = { name: string; path: string; setting: string };

const NOT_REACHED = [502, 503, 504];

/** What to do about an address that does not lead to the bridge. `also`: another thing to look at. */
const remedyOfPath = ({ path, setting }: Asked, { webhook }: Config, also = ""): string => {
  if (!path.includes(`${webhook.path}/`))
    return `see the path (WEBHOOK_PATH is ${webhook.path}) and the ingress' rules${also}`;
  return webhook.auth === "path-token"
    ? `leave the token out of ${setting}: its path goes on after WEBHOOK_PATH`
    : `let ${setting} end with ${webhook.path}: its path goes on after WEBHOOK_PATH`;
};

/** What is wrong where `status` is not the bridge's answer. */
const faultOf = (asked: Asked, status: number, got: number, expected: number, config: Config): Check => {
  const { name } = asked;
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
      remedyOfPath(asked, config, ", or the bridge runs with another WEBHOOK_AUTH"),
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
const judgeBoth = (asked: Asked, { status: posted }: Answer, get: Answer, config: Config): Check => {
  const { name } = asked;
  const isPathToken = config.webhook.auth === "path-token";
  const expected = isPathToken ? 404 : 401;
  const got = get.status;
  if (posted >= 200 && posted < 300)
    return isOfBridge(get)
      ? fail(
          name,
          `it answers ${posted} to a notification without a signature: anybody can write events (this one is a dead letter now)`,
          "set WEBHOOK_AUTH to how the partner proves itself, and start the bridge anew",
        )
      : fail(
          name,
          `something else answers there, not the bridge (${posted} to a POST, ${got} to a GET): notifications are lost there`,
          remedyOfPath(asked, config),
        );
  if (posted === expected && isOfBridge(get))
    return ok(
      name,
      `answers from outside, and ${posted} without a signature (the secret itself was not tried)`,
    );
  if (posted === 401 && isPathToken && isOfBridge(get))
    return ok(name, "answers from outside, and refuses this machine by its address (WEBHOOK_ALLOWED_CIDRS)");
  if (posted === 401 && !isPathToken && [403, 404, 405].includes(got))
    return warn(
      name,
      `it answers 401 as the bridge does, but ${got} to a GET, where the bridge answers 405 with Allow: POST: either something in front passes only POST, or it is not the bridge that answers`,
      'run doctor again, and see that cambio_bridge_webhook_requests_total{code="401"} of a replica grows by one',
    );
  return faultOf(asked, posted, got, expected, config);
};

/** With WEBHOOK_AUTH=none a POST would be taken for a notification, so that there is only the answer to a GET. */
const judgeGet = (asked: Asked, get: Answer, config: Config): Check =>
  isOfBridge(get)
    ? ok(asked.name, "answers from outside")
    : faultOf(asked, get.status, get.status, 405, config);

/** What is seen of a bridge that does not run. Before the first start that is no fault. */
export const notStarted = ({ name, detail }: Check): Check =>
  warn(
    name,
    `${detail}; no bridge runs here yet, so it could not be asked`,
    "start it, then run doctor again; where it runs elsewhere, run doctor there",
  );

/** @param post null where none was sent. @param mayRun whether a bridge may run on this machine */
export const judge = (
  asked: Asked,
  post: Answer | null,
  get: Answer,
  mayRun: boolean,
  config: Config,
): Check => {
  const check = post === null ? judgeGet(asked, get, config) : judgeBoth(asked, post, get, config);
  return !mayRun && NOT_REACHED.includes((post ?? get).status) ? notStarted(check) : check;
};
