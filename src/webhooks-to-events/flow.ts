import { EventTooLarge, type PublishOutcome, type PublishOnce } from "../notification/publish-once.ts";
import type { RecordPosition } from "../runtime/record-position.ts";
import { readTraceContext, type Span } from "../runtime/traces.ts";
import { parseBody } from "../notification/notification.ts";
import type { RequestHead } from "./signatures.ts";
import type { HeadVerdict, Refusal } from "./verify.ts";

/** An authentic notification that cannot be parsed, or whose event is too large. It becomes a dead letter. */
export type UnreadableNotification = {
  body: Buffer;
  detail: string;
  receivedAt: number;
  span?: Span | undefined;
};

const TOO_LARGE = "the notification is valid, but its event is larger than the topic takes";

type WebhookFlowPorts = {
  admit: (head: RequestHead) => HeadVerdict;
  /** Rejects when the event is not known to be durable in time, or with EventTooLarge. */
  publishOnce: PublishOnce;
  /** Resolves when all in-sync replicas have the dead letter. */
  deadLetter: (notification: UnreadableNotification) => Promise<RecordPosition>;
};

export type DeliveryOutcome = PublishOutcome | { kind: "deadLettered"; position: RecordPosition } | Refusal;

export type WebhookFlow = (
  head: RequestHead,
) => Refusal | { kind: "admitted"; handleBody: (body: Buffer) => Promise<DeliveryOutcome> };

/** Resolves when the event or dead letter is durable: only then may the answer be 2xx. The partner repeats others. */
export const webhooksToEvents = (ports: WebhookFlowPorts): WebhookFlow => {
  const deadLetter = async (
    { receivedAt, span }: RequestHead,
    body: Buffer,
    detail: string,
  ): Promise<DeliveryOutcome> => ({
    kind: "deadLettered",
    position: await ports.deadLetter({ body, detail, receivedAt, span }),
  });

  return (head) => {
    const verdict = ports.admit(head);
    if (verdict.kind === "refused") return verdict;

    const { receivedAt, span, headers } = head;
    const handleBody = async (body: Buffer): Promise<DeliveryOutcome> => {
      const refusal = verdict.refusalOf(body);
      if (refusal !== null) return refusal;
      const parsed = parseBody(body);
      if (!parsed.ok) return deadLetter(head, body, parsed.detail);

      const trace = span ?? readTraceContext(headers["traceparent"], headers["tracestate"]);
      try {
        return await ports.publishOnce(parsed.notification, { receivedAt, source: "WEBHOOK", trace });
      } catch (error) {
        // After a 503 the partner would send it again in vain.
        if (error instanceof EventTooLarge) return await deadLetter(head, body, TOO_LARGE);
        throw error;
      }
    };
    return { kind: "admitted", handleBody };
  };
};
