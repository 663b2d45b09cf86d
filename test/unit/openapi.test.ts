import { once } from "node:events";
import { readFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { Validator } from "@seriousme/openapi-schema-validator";
import { Ajv2020 } from "ajv/dist/2020.js";
import { expect, onTestFinished, test } from "vitest";
import { parse } from "yaml";
import { createManagementServer } from "../../src/ops/management.ts";
import { createMetrics } from "../../src/ops/metrics.ts";
import { eventually } from "../support/eventually.ts";
import { BY_HEADER, openReception, PATH, SECRET } from "./webhooks-to-events/reception.ts";

const documentPath = new URL("../../docs/openapi.yaml", import.meta.url).pathname;
type Answer = { headers?: Record<string, { schema: object }>; content?: Record<string, { schema: object }> };
type Operation = { operationId?: string; responses: Record<string, Answer> };
type PathItem = Partial<Record<"get" | "post", Operation>>;
const document = parse(readFileSync(documentPath, "utf8")) as {
  security?: unknown[];
  paths: Record<string, PathItem>;
};

const ajv = new Ajv2020({ strict: false, allErrors: true });
ajv.addSchema(document, "openapi");
const expectMatch = (schema: object, value: unknown, what: string): void => {
  // References of the document are to itself.
  const text = JSON.stringify(schema).replaceAll('"#/', '"openapi#/');
  const validate = ajv.compile(JSON.parse(text) as object);
  expect(validate(value), `${what}: ${JSON.stringify(validate.errors)}`).toBe(true);
};

type Got = { status: number; headers: Headers; text: string };
const got = async (response: Response): Promise<Got> => ({
  status: response.status,
  headers: response.headers,
  text: await response.text(),
});

/** Reads the one answer of a connection that is closed after it. */
const answerIn = (text: string): Got => {
  const [head = "", body = ""] = text.split("\r\n\r\n", 2);
  const [line = "", ...fields] = head.split("\r\n");
  const headers = fields.map((field): [string, string] => {
    const [name = "", value = ""] = field.split(": ", 2);
    return [name, value];
  });
  return { status: Number(line.split(" ")[1]), headers: new Headers(headers), text: body };
};

const notification = JSON.stringify({ transactionId: "tx", status: "CANCELED" });

const desk = async (setup: Parameters<typeof openReception>[0]) => {
  const opened = await openReception(setup);
  onTestFinished(opened.close);
  return opened;
};

/** Every answer of the public listener, produced by the listener itself. */
const webhookAnswers = (auth: "path" | "header"): Record<string, () => Promise<Got>> => {
  const setup = auth === "path" ? {} : BY_HEADER;
  const path = auth === "path" ? `${PATH}/${SECRET}` : PATH;
  const post = async (body: string, more: Parameters<typeof openReception>[0] = {}) => {
    const opened = await desk({ ...setup, ...more });
    return opened.post(body, { "x-secret": SECRET }, new URL(path, opened.url).href);
  };
  const raw = async (bytes: string, options = {}) => {
    const { text, ended } = await (await desk({ ...setup, options })).raw(bytes);
    await eventually(ended, "the connection to be closed");
    return answerIn(text());
  };
  const head = (...headers: string[]) =>
    [`POST ${path} HTTP/1.1`, "Host: x", `X-Secret: ${SECRET}`, ...headers, "", ""].join("\r\n");
  return {
    "post 200 published": () => post(notification),
    "post 200 dead-lettered": () => post("not json"),
    "post 400 malformed": () => raw("nonsense\r\n\r\n"),
    "post 408": () => raw(head("Content-Length: 10"), { arrivalTimeoutMs: 100 }),
    "post 413": () => raw(head("Content-Length: 101"), { maxBodyBytes: 100 }),
    "post 431": () => raw(head(`X: ${"x".repeat(20_000)}`)),
    "post 503": () => post(notification, { write: () => Promise.reject(new Error("no")) }),
  };
};

const management = async (path: string, status: "ready" | "unready" = "ready") => {
  const { registry } = createMetrics();
  const components = { kafka: { status: "up" as const, detail: "" } };
  const server = createManagementServer({ readiness: () => ({ status, components }), registry });
  await once(server.listen(0, "127.0.0.1"), "listening");
  onTestFinished(() => server.close().closeAllConnections());
  return got(await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`));
};

const BASE = "/webhooks/transaction-status";
const answers: Record<string, Record<string, () => Promise<Got>>> = {
  [BASE]: {
    ...webhookAnswers("header"),
    "post 401": async () => {
      const opened = await desk(BY_HEADER);
      return opened.post(notification, {}, new URL(PATH, opened.url).href);
    },
  },
  [`${BASE}/{token}`]: {
    ...webhookAnswers("path"),
    "post 401": async () => (await desk({ verify: { allowedCidrs: ["203.0.113.0/24"] } })).post(notification),
    "post 404": async () => {
      const opened = await desk({});
      return opened.post(notification, {}, new URL(`${PATH}/wrong`, opened.url).href);
    },
  },
  "/livez": { "get 200": () => management("/livez") },
  "/readyz": {
    "get 200": () => management("/readyz"),
    "get 503": () => management("/readyz", "unready"),
  },
  "/metrics": { "get 200": () => management("/metrics") },
};

test("docs/openapi.yaml is a valid OpenAPI 3.1 document", async () => {
  const validator = new Validator();
  const { errors } = await validator.validate(documentPath);
  expect(errors).toBeUndefined();
  expect(validator.version).toBe("3.1");
});

test("each answer of the document is produced below", () => {
  const documented = Object.entries(document.paths).flatMap(([path, item]) =>
    (["get", "post"] as const).flatMap((method) =>
      Object.keys(item[method]?.responses ?? {}).map((status) => `${path} ${method} ${status}`),
    ),
  );
  const produced = Object.entries(answers).flatMap(([path, each]) =>
    Object.keys(each).map((name) => `${path} ${name.split(" ").slice(0, 2).join(" ")}`),
  );
  expect([...new Set(produced)].sort()).toEqual(documented.sort());
});

const cases = Object.entries(answers).flatMap(([path, each]) =>
  Object.entries(each).map(([name, produce]) => ({ path, name, produce })),
);

test.each(cases)("$path $name is as the document says", async ({ path, name, produce }) => {
  const [method = "", status = ""] = name.split(" ");
  const { headers, content } = document.paths[path]![method as "get" | "post"]!.responses[status]!;
  const answer = await produce();
  expect(answer.status).toBe(Number(status));
  for (const [header, { schema }] of Object.entries(headers ?? {}))
    expectMatch(schema, answer.headers.get(header), header);
  const [type, body] = Object.entries(content ?? {})[0] ?? [];
  if (!type || !body) {
    expect(answer.text).toBe("");
    return;
  }
  expect(answer.headers.get("content-type")).toMatch(new RegExp(`^${type}\\b`));
  expectMatch(body.schema, type === "application/json" ? JSON.parse(answer.text) : answer.text, "body");
});
