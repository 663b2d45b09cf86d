// docs/openapi.yaml: the bridge's own listeners, with the paths and ports that its settings have by default.
import { readFileSync } from "node:fs";
import { stringify } from "yaml";

/** @typedef {import("../../src/config/load.ts")} Load */

const json = (/** @type {string} */ schema) => ({
  "application/json": { schema: { $ref: `#/components/schemas/${schema}` } },
});
const header = (/** @type {string} */ description, /** @type {object} */ schema) => ({
  description,
  required: true,
  schema: { type: "string", ...schema },
});
/** Without `content`, an answer has no body. */
const CLOSE = { Connection: header("The connection is closed.", { const: "close" }) };

const NOTIFICATION_ANSWERS = {
  200: {
    description:
      "Durable on all in-sync replicas: the event (from this or an earlier delivery), or the dead letter of a notification that is authentic but not understood.",
    content: json("Taken"),
  },
  400: { description: "The request is malformed, or ended early.", headers: CLOSE },
  408: { description: "The request took too long to arrive.", headers: CLOSE },
  413: {
    description: "The body is larger than WEBHOOK_MAX_BODY_BYTES. The rest of it is not read.",
    headers: CLOSE,
  },
  431: { description: "The headers are larger than 16 KiB, or more than 100.", headers: CLOSE },
  503: {
    description:
      "Not accepted, send it again: Kafka did not acknowledge within WEBHOOK_PUBLISH_TIMEOUT, more than WEBHOOK_MAX_IN_FLIGHT are in progress, or the process is starting or stopping.",
    headers: { "Retry-After": header("Seconds.", { pattern: "^\\d+$" }) },
  },
};
const UNAUTHENTIC = {
  401: { description: "Not authentic, or from an address outside of WEBHOOK_ALLOWED_CIDRS." },
};
const ONLY_POST = { description: "Any other method is answered 405 with `Allow: POST`." };

const requestBody = {
  required: true,
  description: "The JSON object that the partner sends. The event carries it unchanged.",
  content: json("Notification"),
};
const TRACE = [
  {
    name: "traceparent",
    in: "header",
    description: "W3C trace context. The event carries it on; docs/traces.md says how.",
    schema: { type: "string" },
  },
];

/** @param {string} path */
const publicPaths = (path) => ({
  [path]: {
    ...ONLY_POST,
    post: {
      operationId: "notify",
      summary: "Receives a notification (WEBHOOK_AUTH header, hmac, standard-webhooks or none)",
      security: [
        { sharedSecret: [] },
        { bodySignature: [] },
        { webhookId: [], webhookTimestamp: [], webhookSignature: [] },
        {},
      ],
      parameters: TRACE,
      requestBody,
      responses: { ...NOTIFICATION_ANSWERS, ...UNAUTHENTIC },
    },
  },
  [`${path}/{token}`]: {
    ...ONLY_POST,
    parameters: [
      {
        name: "token",
        in: "path",
        required: true,
        description: "A secret of WEBHOOK_SECRET.",
        schema: { type: "string" },
      },
    ],
    post: {
      operationId: "notifyWithToken",
      summary: "Receives a notification (WEBHOOK_AUTH path-token)",
      parameters: TRACE,
      requestBody,
      responses: {
        ...NOTIFICATION_ANSWERS,
        401: { description: "From an address outside of WEBHOOK_ALLOWED_CIDRS." },
        404: { description: "The token is wrong." },
      },
    },
  },
});

const managementPaths = {
  "/livez": {
    get: {
      operationId: "livez",
      summary: "Whether the process runs",
      responses: { 200: { description: "The process runs.", content: json("Alive") } },
    },
  },
  "/readyz": {
    get: {
      operationId: "readyz",
      summary: "Whether the replica can do its work; components says what each part is doing",
      responses: {
        200: { description: "Ready.", content: json("Ready") },
        503: { description: "Not ready; components says why.", content: json("Unready") },
      },
    },
  },
  "/metrics": {
    get: {
      operationId: "metrics",
      summary: "Metrics for Prometheus",
      responses: {
        200: {
          description: "All metrics; docs/metrics.md lists them.",
          content: { "text/plain": { schema: { type: "string", pattern: "^# HELP " } } },
        },
      },
    },
  },
};

const secretHeader = (/** @type {string} */ name, /** @type {string} */ description) => ({
  type: "apiKey",
  in: "header",
  name,
  description,
});

const securitySchemes = {
  sharedSecret: secretHeader(
    "WEBHOOK_SIGNATURE_HEADER",
    "WEBHOOK_AUTH=header: the secret itself, in the header that the setting names.",
  ),
  bodySignature: secretHeader(
    "WEBHOOK_SIGNATURE_HEADER",
    "WEBHOOK_AUTH=hmac: WEBHOOK_SIGNATURE_PREFIX and the HMAC-SHA256 of the body in hex or base64, in the header that the setting names. Several, comma-separated or in repeated headers: one right one is enough.",
  ),
  webhookId: secretHeader("webhook-id", "WEBHOOK_AUTH=standard-webhooks: id of the delivery."),
  webhookTimestamp: secretHeader(
    "webhook-timestamp",
    "Likewise: seconds since the epoch, WEBHOOK_TOLERANCE old at most.",
  ),
  webhookSignature: secretHeader(
    "webhook-signature",
    "Likewise: `v1,` and the base64 HMAC-SHA256 of id, timestamp and body with points between; several are separated by spaces.",
  ),
};

/** @param {string} status */
const readiness = (status) => ({
  type: "object",
  required: ["status", "components"],
  additionalProperties: false,
  properties: {
    status: { const: status },
    components: {
      type: "object",
      additionalProperties: {
        type: "object",
        required: ["status", "detail"],
        additionalProperties: false,
        properties: { status: { enum: ["up", "down"] }, detail: { type: "string" } },
      },
    },
  },
});

/** @param {Record<string, object>} properties */
const exactly = (properties) => ({
  type: "object",
  required: Object.keys(properties),
  additionalProperties: false,
  properties,
});

const schemas = {
  Notification: {
    type: "object",
    required: ["transactionId", "status"],
    properties: {
      transactionId: { anyOf: [{ type: "string", minLength: 1 }, { type: "number" }] },
      status: { type: "string", minLength: 1 },
      createdAt: { description: "Any form; the event keeps it unchanged." },
    },
  },
  Taken: {
    oneOf: [
      exactly({ eventId: { type: "string", pattern: "^[0-9a-f]{32}$" } }),
      exactly({ deadLettered: { const: true } }),
    ],
  },
  Alive: exactly({ status: { const: "alive" } }),
  Ready: readiness("ready"),
  Unready: readiness("unready"),
};

/** @param {string} root @returns {Promise<string>} the text of docs/openapi.yaml */
export async function openapi(root) {
  const { rows } = /** @type {Load} */ (await import("../../src/config/load.ts"));
  const byDefault = (/** @type {string} */ env) => rows.find((row) => row.env === env)?.fallback ?? "";
  const server = (/** @type {string} */ listener) => ({
    url: "http://{host}:{port}",
    description: `${listener}_HOST and ${listener}_PORT`,
    variables: { host: { default: "localhost" }, port: { default: byDefault(`${listener}_PORT`) } },
  });
  const management = Object.fromEntries(
    Object.entries(managementPaths).map(([path, item]) => [
      path,
      { servers: [server("MANAGEMENT")], ...item },
    ]),
  );
  const { version, license } = JSON.parse(readFileSync(`${root}package.json`, "utf8"));
  const document = {
    openapi: "3.1.0",
    info: {
      title: "cambio-bridge",
      version,
      description: "The bridge's public and management listeners. Any other path is answered 404.",
      license: { name: license, identifier: license },
    },
    servers: [server("WEBHOOK")],
    security: [],
    paths: { ...publicPaths(byDefault("WEBHOOK_PATH")), ...management },
    components: { securitySchemes, schemas },
  };
  const head =
    "# Generated by `npm run generate` from dev/generate/openapi.mjs. Change that, not this file.\n";
  return head + stringify(document, { lineWidth: 0, aliasDuplicateObjects: false });
}
