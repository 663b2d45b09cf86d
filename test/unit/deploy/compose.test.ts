import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import bcrypt from "bcryptjs";
import { expect, it, onTestFinished } from "vitest";
import { parse } from "yaml";
import { IMAGE_NODE } from "../../../dev/bootstrap/node.mjs";
import { NODE_FLAGS } from "../../../dev/main.mjs";
import { loadConfig } from "../../../src/config/load.ts";
import { parseUsers } from "../../../src/console/sign-in/users.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

type Service = {
  image: string;
  build?: string;
  command?: string[];
  environment?: Record<string, string | number>;
  ports: string[];
  depends_on?: Record<string, { condition: string }>;
  healthcheck: { test: string[] };
};

const file = (path: string) => readFileSync(new URL(`../../../${path}`, import.meta.url), "utf8");
const { services, configs } = parse(file("docker-compose.yml")) as {
  services: Record<string, Service>;
  configs: Record<string, { content: string }>;
};

const environmentOf = (name: string): Record<string, string> =>
  Object.fromEntries(
    Object.entries(services[name]?.environment ?? {}).map(([key, value]) => [key, String(value)]),
  );

it("describes Kafka, registry, sandbox, bridge and console, with health checks, on the loopback interface only", () => {
  expect(Object.keys(services).sort()).toEqual(["bridge", "console", "kafka", "registry", "sandbox"]);
  for (const { healthcheck, ports } of Object.values(services)) {
    expect(healthcheck.test[0]).toBe("CMD");
    expect(ports.filter((port) => !port.startsWith("127.0.0.1:"))).toEqual([]);
  }
});

it("runs the versions that are run without Docker", () => {
  const download = file("dev/cluster/download.mjs");
  const kafka = /KAFKA_VERSION = .* \?\? "([\d.]+)"/.exec(download)?.[1];
  expect(services["kafka"]?.image).toBe(`apache/kafka:${kafka ?? "?"}`);
  const registry = /apicurio-registry-app:([\d.]+):/.exec(download)?.[1];
  expect(services["registry"]?.image).toBe(`apicurio/apicurio-registry:${registry ?? "?"}`);
});

it("starts the bridge when all it needs is healthy, with an environment it accepts without a warning", () => {
  expect(services["bridge"]?.depends_on).toEqual({
    kafka: { condition: "service_healthy" },
    registry: { condition: "service_healthy" },
    sandbox: { condition: "service_healthy" },
  });
  const loaded = loadConfig(environmentOf("bridge"), "serve");
  expect(loaded).toMatchObject({ ok: true, warnings: [] });
});

it("starts the console with an environment that it accepts, and a user who may act", async () => {
  // Compose takes a doubled dollar for one.
  const users = (configs["console-users"]?.content ?? "").replaceAll("$$", "$");
  const file = join(temporaryFolder(), "users");
  writeFileSync(file, users);
  const { CONSOLE_USERS_FILE, ...environment } = environmentOf("console");
  expect(CONSOLE_USERS_FILE).toBe("/run/console-users");
  const loaded = loadConfig({ ...environment, CONSOLE_USERS_FILE: file }, "console");
  expect(loaded).toMatchObject({ ok: true, warnings: [] });
  const [user, ...others] = parseUsers(users).users;
  expect([user?.name, user?.role, others]).toEqual(["local", "operator", []]);
  expect(await bcrypt.compare("local-console-password", user?.hash ?? "")).toBe(true);
});

it("gives bridge and sandbox the same tokens, and has the sandbox notify the bridge with its secret", () => {
  const { PARTNER_ACCESS_TOKEN, PARTNER_X_TOKEN, WEBHOOK_SECRET } = environmentOf("bridge");
  expect(environmentOf("sandbox")).toEqual({ PARTNER_ACCESS_TOKEN, PARTNER_X_TOKEN });
  const url = `http://bridge:8080/webhooks/transaction-status/${WEBHOOK_SECRET}`;
  expect(services["sandbox"]?.command).toContain(`--webhook-url=${url}`);
});

it("the image's health check finds the listener of serve, wherever it is bound, and that of the console", async () => {
  const [, check = ""] = /^HEALTHCHECK [^]*?CMD (\[.*\])$/m.exec(file("Dockerfile")) ?? [];
  const [, ...args] = JSON.parse(check) as string[];
  const statuses: Record<string, number> = { "/livez": 200, "/": 401 };
  const server = createServer(({ url = "" }, answer) => answer.writeHead(statuses[url] ?? 404).end());
  onTestFinished(() => void server.close());
  await once(server.listen(0, "::"), "listening");
  const port = String((server.address() as AddressInfo).port);
  const closed = { MANAGEMENT_PORT: "1", CONSOLE_PORT: "1" };
  const codeOf = async (env: Record<string, string>): Promise<unknown> => {
    const [code] = (await once(
      spawn(process.execPath, args, { env: { ...closed, ...env } }),
      "exit",
    )) as unknown[];
    return code;
  };
  const health = async () =>
    Promise.all([
      codeOf({ MANAGEMENT_PORT: port }),
      codeOf({ MANAGEMENT_PORT: port, MANAGEMENT_HOST: "::1" }),
      codeOf({ CONSOLE_PORT: port }),
      codeOf({ CONSOLE_PORT: port, CONSOLE_HOST: "0.0.0.0" }),
      codeOf({}),
    ]);
  expect(await health()).toEqual([0, 0, 0, 0, 1]);
  statuses["/livez"] = 503;
  expect((await health()).slice(0, 3)).toEqual([1, 1, 0]);
});

it("builds an image whose parts exist, that runs as nobody special and starts `serve`", () => {
  const lines = file("Dockerfile").split("\n");
  const instruction = (name: string) => lines.filter((line) => line.startsWith(`${name} `)).at(-1);
  expect(JSON.parse(instruction("ENTRYPOINT")?.slice("ENTRYPOINT ".length) ?? "")).toEqual([
    "node",
    ...NODE_FLAGS,
    "dist/main.js",
  ]);
  expect(instruction("CMD")).toBe('CMD ["serve"]');
  expect(instruction("USER")).toBe("USER node");
  const base = `node:${IMAGE_NODE}-slim`;
  expect(lines.filter((line) => line.startsWith("FROM "))).toEqual([
    `FROM ${base} AS build`,
    `FROM ${base} AS sandbox`,
    `FROM ${base}`,
  ]);
  const [, , own = ""] = file("Dockerfile")
    .split(/^FROM .*$/m)
    .slice(1);
  expect(own).not.toContain("sandbox");

  const copied = lines
    .filter((line) => line.startsWith("COPY ") && !line.includes("--from="))
    .flatMap((line) => line.split(" ").slice(1, -1));
  const sent = file(".dockerignore")
    .split("\n")
    .filter((line) => line.startsWith("!"))
    .map((line) => line.slice(1));
  expect(copied.filter((path) => !sent.includes(path.replace("./", "")))).toEqual([]);
});
