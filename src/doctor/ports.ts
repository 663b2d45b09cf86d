import { createServer } from "node:net";
import type { Config } from "../config/config.ts";
import { objectOf } from "../runtime/json-object.ts";
import { fail, ok, warn, type Bounds, type Check } from "./check.ts";

const ANSWER_MS = 2_000;

/** The error code of listening on a port; null where it works. */
const obstacle = (host: string, port: number): Promise<string | null> =>
  new Promise((resolve) => {
    const server = createServer();
    server.once("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve(null)));
  });

/** What is not up in a bridge that already has the management port; null where no bridge answers. */
const downOfRunning = async (
  { management: { host, port } }: Config,
  { clock, signal }: Bounds,
): Promise<string | null> => {
  const own = /^(0\.0\.0\.0|::)$/.test(host) ? "localhost" : host;
  const url = `http://${own.includes(":") ? `[${own}]` : own}:${port}/readyz`;
  try {
    const answer: unknown = await clock.withDeadline(ANSWER_MS, signal, async (each) =>
      (await fetch(url, { signal: each })).json(),
    );
    const { status, components } = objectOf(answer) ?? {};
    const parts = Object.entries(objectOf(components) ?? {}).map(([name, part]) => ({
      name,
      part: objectOf(part),
    }));
    // Other programs have a /readyz with a status and components as well.
    const isBridge = parts.length > 0 && parts.every(({ part }) => typeof part?.["detail"] === "string");
    if (!isBridge || (status !== "ready" && status !== "unready")) return null;
    return parts
      .filter(({ part }) => status === "unready" && part?.["status"] !== "up")
      .map(({ name, part }) => `${name} (${String(part?.["detail"])})`)
      .join(", ");
  } catch {
    signal.throwIfAborted();
    return null;
  }
};

/** `isFree`: nobody has the webhook port of this machine, so that no bridge runs here. Port 0 does not tell. */
export type Ports = { checks: readonly Check[]; isFree: boolean };

/** Checks that the ports are free, or that a bridge has them already, and then its readiness. */
export const checkPorts = async (config: Config, bounds: Bounds): Promise<Ports> => {
  const { webhook, management, bridge } = config;
  const hasWebhooks = bridge.flows.includes("webhooks");
  const listeners = [
    { name: "MANAGEMENT_PORT", ...management },
    ...(hasWebhooks ? [{ name: "WEBHOOK_PORT", host: webhook.host, port: webhook.port }] : []),
  ];
  const codes: (string | null)[] = [];
  // One after the other: both settings may name the same port.
  for (const { host, port } of listeners) codes.push(await obstacle(host, port));
  const down = codes[0] === "EADDRINUSE" ? await downOfRunning(config, bounds) : null;
  const checks = listeners.map(({ name, host, port }, index) => {
    const label = `${name} ${port}`;
    const code = codes[index] ?? null;
    switch (code) {
      case null:
        return ok(label, "is free");
      case "EADDRINUSE":
        return down !== null
          ? ok(label, "a bridge that runs here has it")
          : fail(
              label,
              "another program has this port, so that serve would not start",
              `stop that program, or set another ${name}`,
            );
      case "EACCES":
        return fail(label, "this user may not listen on it (EACCES)", `set ${name} to 1024 or above`);
      default:
        return fail(
          label,
          `nobody can listen on ${host}:${port} (${code})`,
          `correct ${name.replace("PORT", "HOST")}`,
        );
    }
  });
  if (down)
    checks.push(
      warn(
        "bridge that runs here",
        `it is unready: ${down}`,
        "see the other lines, its log, and docs/failures.md",
      ),
    );
  return { checks, isFree: hasWebhooks && webhook.port !== 0 && codes[1] === null };
};
