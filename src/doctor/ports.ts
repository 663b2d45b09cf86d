import { createServer } from "node:net";
import type { Config } from "../config/config.ts";
import { objectOf } from "../runtime/json-object.ts";
import { fail, ok, warn, type Bounds, type Check } from "./check.ts";
import { ask, isOfBridge, NO_TOKEN } from "./listener.ts";

const ANSWER_MS = 2_000;
/** What `journal` says while a replica starts; that passes. */
const STARTING = /^(still reading|not started yet)$/;

/** The error code of listening on a port; null where it works. */
const obstacle = (host: string, port: number): Promise<string | null> =>
  new Promise((resolve) => {
    const server = createServer();
    server.once("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve(null)));
  });

/** An address of a listener on this machine. */
const urlOf = (host: string, port: number, path: string): URL => {
  const own = /^(0\.0\.0\.0|::)$/.test(host) ? "localhost" : host;
  return new URL(path, `http://${own.includes(":") ? `[${own}]` : own}:${port}`);
};

type Component = { status: string; detail: string };
type Readiness = { status: "ready" | "unready"; components: Record<string, Component> };

const isComponent = (value: unknown): boolean => {
  const component = objectOf(value);
  return typeof component?.["status"] === "string" && typeof component["detail"] === "string";
};

/** Other programs have a /readyz with a status and components as well. */
const isReadiness = (value: unknown): value is Readiness => {
  const { status, components } = objectOf(value) ?? {};
  const each = objectOf(components);
  return (
    (status === "ready" || status === "unready") && each !== null && Object.values(each).every(isComponent)
  );
};

/** The readiness of a bridge that already has the management port; null where no bridge answers. */
const readiness = async ({ management }: Config, { clock, signal }: Bounds): Promise<Readiness | null> => {
  const url = urlOf(management.host, management.port, "/readyz");
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

/**
 * What is wrong with a webhook port that is in use while a bridge runs here; null where that bridge has it, also
 * with another WEBHOOK_AUTH.
 */
const stranger = async ({ webhook }: Config, label: string, bounds: Bounds): Promise<Check | null> => {
  const paths = [webhook.path, `${webhook.path}/${NO_TOKEN}`];
  const seen = await Promise.all(
    paths.map((path) => {
      const url = urlOf(webhook.host, webhook.port, path);
      return ask("GET", url, { headers: {}, ms: ANSWER_MS }, bounds).catch(() => null);
    }),
  );
  bounds.signal.throwIfAborted();
  if (seen.some((answer) => answer !== null && isOfBridge(answer))) return null;
  return fail(
    label,
    "a bridge runs here, but another program uses this port, or a bridge with another WEBHOOK_PATH",
    "stop that program, or set another WEBHOOK_PORT; if it is the bridge, correct WEBHOOK_PATH or start it anew",
  );
};

/** What a bridge that runs here says of itself, where it is not ready. */
const unready = ({ status, components }: Readiness): Check[] => {
  if (status === "ready") return [];
  const down = Object.entries(components).filter(([, each]) => each.status !== "up");
  const detail = `it is ${status}: ${down.map(([each, { detail }]) => `${each} (${detail})`).join(", ")}`;
  const isLost = down.some(([each, { detail }]) => each === "journal" && !STARTING.test(detail));
  return [
    isLost
      ? fail(
          "bridge that runs here",
          `${detail}; without its journal it begins no command`,
          'read "The journal is lost" in docs/failures.md before anything is restarted',
        )
      : warn("bridge that runs here", detail, "see the other lines, its log, and docs/operations.md"),
  ];
};

/** `isFree`: nobody has the webhook port of this machine, so that no bridge runs here. Port 0 does not tell. */
export type Ports = { checks: readonly Check[]; isFree: boolean };

/** Checks that the ports are free, or that a bridge has them already, and then its readiness. */
export const checkPorts = async (config: Config, bounds: Bounds): Promise<Ports> => {
  const { webhook, management, bridge } = config;
  const listeners = [
    { name: "MANAGEMENT_PORT", host: management.host, port: management.port },
    ...(bridge.flows.includes("webhooks")
      ? [{ name: "WEBHOOK_PORT", host: webhook.host, port: webhook.port }]
      : []),
  ] as const;
  const codes: (string | null)[] = [];
  // One after the other: both settings may name the same port.
  for (const { host, port } of listeners) codes.push(await obstacle(host, port));
  const running = codes.includes("EADDRINUSE") ? await readiness(config, bounds) : null;
  const judge = async (name: string, host: string, port: number, code: string | null): Promise<Check> => {
    const label = `${name} ${port}`;
    if (code === null) return ok(label, "is free");
    if (code === "EADDRINUSE" && running) {
      const found = name === "WEBHOOK_PORT" ? await stranger(config, label, bounds) : null;
      return found ?? ok(label, "a bridge that runs here has it");
    }
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
  };
  const checks = await Promise.all(
    listeners.map(({ name, host, port }, index) => judge(name, host, port, codes[index] ?? null)),
  );
  const isFree = webhook.port !== 0 && listeners.length > 1 && codes[1] === null;
  return { checks: [...checks, ...(running ? unready(running) : [])], isFree };
};
