import { connect } from "node:net";
import type { AddressInfo } from "node:net";
import type { MiddlewareHandler } from "hono";
import {
  createWebhookServer,
  type ServedRequest,
  type WebhookServerOptions,
} from "../../../src/webhooks-to-events/webhook-app.ts";
import { eventWindow } from "../../../src/notification/event-window.ts";
import { createPublishOnce } from "../../../src/notification/publish-once.ts";
import {
  webhooksToEvents,
  type DeliveryOutcome,
  type UnreadableNotification,
} from "../../../src/webhooks-to-events/flow.ts";
import { verification, type VerificationOptions } from "../../../src/webhooks-to-events/verify.ts";
import type { TransactionStatusUpdated } from "../../../src/records.ts";
import { systemClock } from "../../../src/runtime/clock.ts";
import type { RecordPosition } from "../../../src/runtime/record-position.ts";
import type { TraceContext } from "../../../src/runtime/traces.ts";

/** The check of settings that differ from these. */
export const verificationOf = (changes: Partial<VerificationOptions>) =>
  verification({
    ...{ auth: "none", signaturePrefix: "", toleranceMs: 300_000, secrets: () => [] },
    ...{ allowedCidrs: [], trustedProxyCidrs: [] },
    ...changes,
  });

type Setup = {
  /** In place of a path token. */
  verify?: Partial<VerificationOptions>;
  options?: Partial<WebhookServerOptions>;
  middleware?: readonly MiddlewareHandler[];
  /** What Kafka does with an event or a dead letter. */
  write?: () => Promise<RecordPosition>;
  /** In place of the system's. */
  monotonic?: () => number;
  /** In place of the flow behind the admission. */
  receive?: (body: Buffer) => Promise<DeliveryOutcome>;
};

/** The secret itself in a header. */
export const BY_HEADER = { verify: { auth: "header", signatureHeader: "x-secret" } } as const;
export const PATH = "/hooks/status";
export const SECRET = "s3cret";

/** The listener and the flow behind it, for real, before a Kafka of paper. */
export const openReception = async (setup: Setup = {}) => {
  const { options, write } = setup;
  const verify = { auth: "path-token", ...setup.verify } as const;
  const published: { event: TransactionStatusUpdated; trace: TraceContext | null }[] = [];
  const parked: UnreadableNotification[] = [];
  const served: ServedRequest[] = [];
  const state = { open: true };
  const put = write ?? (() => Promise.resolve({ partition: 0, offset: 0 }));
  const window = eventWindow({ windowMs: 7_200_000, maxBytes: 100_000 });
  const flow = webhooksToEvents({
    admit: verificationOf({ ...verify, secrets: () => [SECRET] }),
    publishOnce: createPublishOnce({
      publish: (event, trace) => {
        published.push({ event, trace });
        return put();
      },
      window,
      mask: (payload) => payload,
      eventFields: [],
      onPublished: () => undefined,
      now: systemClock.now,
    }),
    deadLetter: (notification) => {
      parked.push(notification);
      return put();
    },
  });
  const { receive } = setup;
  const server = createWebhookServer(
    {
      path: PATH,
      pathToken: verify.auth === "path-token",
      maxBodyBytes: 65_536,
      maxInFlight: 100,
      maxConnections: 100,
      arrivalTimeoutMs: 15_000,
      ...options,
    },
    {
      flow: () =>
        !state.open ? null : receive ? () => ({ kind: "admitted" as const, handleBody: receive }) : flow,
      served: (request) => void served.push(request),
      clock: { monotonic: setup.monotonic ?? systemClock.monotonic, now: systemClock.now },
    },
    setup.middleware,
  );
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}${PATH}/${SECRET}`;
  return {
    url,
    published,
    parked,
    served,
    state,
    post: async (body: string | Buffer, headers: Record<string, string> = {}, to = url) => {
      const response = await fetch(to, { method: "POST", body: Buffer.from(body), headers });
      return { status: response.status, headers: response.headers, text: await response.text() };
    },
    /** Writes bytes to a connection; gives all that comes back, and whether the other side closed it. */
    raw: async (...parts: (string | Buffer)[]) => {
      const socket = connect(port, "127.0.0.1");
      let text = "";
      let ended = false;
      socket.setEncoding("latin1").on("data", (chunk: string) => (text += chunk));
      socket.on("close", () => (ended = true)).on("error", () => undefined);
      for (const part of parts) socket.write(part);
      await Promise.resolve();
      return {
        socket,
        text: () => text,
        ended: () => ended,
      };
    },
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
};

export type ReceptionDesk = Awaited<ReturnType<typeof openReception>>;
