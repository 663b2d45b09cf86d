import { createServer } from "node:net";
import type { Config } from "../config/config.ts";
import { fail, ok, warn, type Bounds, type Check } from "./check.ts";

const ANSWER_MS = 3_000;

/** The error code of listening on a port; null where it works. */
const obstacle = (host: string, port: number): Promise<string | null> =>
  new Promise((resolve) => {
    const server = createServer();
    server.once("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve(null)));
  });

type Readiness = { status: string; components: Record<string, { status: string; detail: string }> };

const isReadiness = (value: unknown): value is Readiness =>
  typeof value === "object" && value !== null && "status" in value && "components" in value;

/** The readiness of a bridge that already has the management port; null where no bridge answers. */
const readiness = async ({ management }: Config, { clock, signal }: Bounds): Promise<Readiness | null> => {
  const host = /^(0\.0\.0\.0|::)$/.test(management.host) ? "localhost" : management.host;
  const url = `http://${host.includes(":") ? `[${host}]` : host}:${management.port}/readyz`;
  try {
    const answer = await clock.withDeadline(ANSWER_MS, signal, async (each) =>
      (await fetch(url, { signal: each })).json(),
    );
    return isReadiness(answer) ? answer : null;
  } catch {
    signal.throwIfAborted();
    return null;
  }
};

/** Checks that the ports are free, or that a bridge has them already, and then its readiness. */
export const checkPorts = async (config: Config, bounds: Bounds): Promise<Check[]> => {
  const { webhook, management, bridge } = config;
  const listeners = [
    { name: "MANAGEMENT_PORT", host: management.host, port: management.port },
    ...(bridge.flows.includes("webhooks")
      ? [{ name: "WEBHOOK_PORT", host: webhook.host, port: webhook.port }]
      : []),
  ];
  const codes = await Promise.all(listeners.map(({ host, port }) => obstacle(host, port)));
  const running = codes.includes("EADDRINUSE") ? await readiness(config, bounds) : null;
  const checks = listeners.map(({ name, host, port }, index): Check => {
    const code = codes[index] ?? null;
    const label = `${name} ${port}`;
    if (code === null) return ok(label, "is free");
    if (code === "EADDRINUSE" && running) return ok(label, "a bridge that runs here has it");
    if (code === "EADDRINUSE")
      return fail(
        label,
        "another program has this port, so that serve would not start",
        `stop that program, or set another ${name}`,
      );
    return code === "EACCES"
      ? fail(label, "this user may not listen on it (EACCES)", `set ${name} to 1024 or above`)
      : fail(
          label,
          `nobody can listen on ${host}:${port} (${code})`,
          `correct ${name.replace("PORT", "HOST")}`,
        );
  });
  const down = Object.entries(running?.components ?? {}).filter(([, { status }]) => status !== "up");
  return [
    ...checks,
    ...(running && running.status !== "ready"
      ? [
          warn(
            "bridge that runs here",
            `it is ${running.status}: ${down.map(([name, { detail }]) => `${name} (${detail})`).join(", ")}`,
            "see the other lines, its log, and docs/operations.md",
          ),
        ]
      : []),
  ];
};
