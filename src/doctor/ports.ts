import { createServer } from "node:net";
import type { Config } from "../config/config.ts";
import { brokerAddress } from "../kafka/cluster/ask-one-broker.ts";
import { objectOf } from "../runtime/json-object.ts";
import { fail, ok, type Bounds, type Check } from "./check.ts";
import { ask, isOfBridge } from "./webhook.ts";

const ANSWER_MS = 2_000;

/** The error code of listening on a port; null where it works. */
const obstacle = (host: string, port: number): Promise<string | null> =>
  new Promise((resolve) => {
    const server = createServer();
    server.once("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve(null)));
  });

const originOf = ({ host, port }: { host: string; port: number }): string =>
  `http://${brokerAddress({ host: /^(0\.0\.0\.0|::)$/.test(host) ? "localhost" : host, port })}`;

type Probe = (config: Config, bounds: Bounds) => Promise<boolean>;

/** Whether what has the webhook port is a bridge, by how it answers a GET. */
const isWebhookListener: Probe = async (config, bounds) => {
  const url = new URL(originOf(config.webhook) + config.webhook.path);
  try {
    return isOfBridge(await ask("GET", url, config, bounds));
  } catch {
    bounds.signal.throwIfAborted();
    return false;
  }
};

/** Whether what has the management port is a bridge, by how /readyz answers. */
const isManagementListener: Probe = async ({ management }, { clock, signal }) => {
  const url = `${originOf(management)}/readyz`;
  try {
    const answer: unknown = await clock.withDeadline(ANSWER_MS, signal, async (each) =>
      (await fetch(url, { signal: each })).json(),
    );
    // Other programs have a /readyz with a status and components as well.
    const parts = Object.values(objectOf(objectOf(answer)?.["components"]) ?? {}).map(objectOf);
    return parts.length > 0 && parts.every((part) => typeof part?.["detail"] === "string");
  } catch {
    signal.throwIfAborted();
    return false;
  }
};

/** `isFree`: nobody has the webhook port of this machine, so that no bridge runs here. Port 0 does not tell. */
type Ports = { checks: readonly Check[]; isFree: boolean };

/** Checks that the ports are free, or that a bridge has them already. */
export const checkPorts = async (config: Config, bounds: Bounds): Promise<Ports> => {
  const { webhook, management, bridge } = config;
  const hasWebhooks = bridge.flows.includes("webhooks");
  const listeners = [
    { name: "MANAGEMENT_PORT", ...management, isOfBridge: isManagementListener },
    ...(hasWebhooks ? [{ name: "WEBHOOK_PORT", ...webhook, isOfBridge: isWebhookListener }] : []),
  ];
  const codes: (string | null)[] = [];
  // One after the other: both settings may name the same port.
  for (const { host, port } of listeners) codes.push(await obstacle(host, port));
  const checks = listeners.map(async ({ name, host, port, isOfBridge: isBridge }, index) => {
    const label = `${name} ${port}`;
    const code = codes[index] ?? null;
    if (code === null) return ok(label, "is free");
    if (code !== "EADDRINUSE") {
      const remedy = `correct ${name}, or ${name.replace("PORT", "HOST")}; ports below 1024 take a right`;
      return fail(label, `this user cannot listen on ${host}:${port} (${code})`, remedy);
    }
    if (await isBridge(config, bounds)) return ok(label, "a bridge that runs here has it");
    const detail = "another program has this port, so that serve would not start";
    return fail(label, detail, `stop that program, or set another ${name}`);
  });
  return {
    checks: await Promise.all(checks),
    isFree: hasWebhooks && webhook.port !== 0 && codes[1] === null,
  };
};
