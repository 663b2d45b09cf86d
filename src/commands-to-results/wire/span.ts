import type { CommandRecord, Handled } from "../flow.ts";
import type { Deps } from "../accept-once/ports.ts";
import type { Incoming } from "../../kafka/record.ts";
import type { Partner } from "../../partner/client.ts";
import { beginsAt, contextOf, type Span, type Traces } from "../../runtime/traces.ts";
import { traceOf } from "../../kafka/headers.ts";
import { callInSpan } from "../../partner/call-span.ts";
import { sendInSpan } from "../../kafka/produce/record-span.ts";
import type { Services } from "../../kafka/wire/services.ts";

/** Span verbs of the journal's entries. */
const VERBS = { claimed: "claim", released: "release", concluded: "conclude", published: "close" } as const;

/** The span of a command. The sender's context is linked even if it is the parent. */
const begin = (traces: Traces, record: Incoming): Span => {
  const start = beginsAt(traces, traceOf(record));
  return traces.begin({ name: `process ${record.topic}`, kind: "consumer", ...start });
};

/** @param handled null if the command was stopped and will be read again */
const end = (
  span: Span,
  { topic, partition, offset }: Incoming,
  { handled, groupId }: { handled: Handled | null; groupId: string },
): void => {
  if (!span.isSampled) return;
  const { identity, result = null, deadLettered = null } = handled ?? {};
  const failed = result !== null && (result.outcome === "FAILED" || result.outcome === "IN_DOUBT");
  span.end(
    {
      "messaging.system": "kafka",
      "messaging.operation.type": "process",
      "messaging.operation.name": "process",
      "messaging.destination.name": topic,
      "messaging.destination.partition.id": String(partition),
      "messaging.kafka.offset": offset,
      "messaging.consumer.group.name": groupId,
      "messaging.message.conversation_id": identity?.commandId,
      "cambio.operation": identity?.operation,
      "cambio.outcome": result?.outcome,
      "cambio.attempts": result?.attempts,
      "cambio.dead_letter.reason": deadLettered,
    },
    handled === null ? "given_up" : failed ? (result.error?.code ?? result.outcome) : deadLettered,
  );
};

type Work = (record: Incoming & CommandRecord) => Promise<Handled>;

/** `around` runs `work` within the span of a record, which carries its trace context. */
export const commandSpans = (
  { config, traces }: Services,
  { call, journal, mask }: Pick<Deps, "call" | "journal"> & Pick<Partner, "mask">,
): { around: (record: Incoming, work: Work) => Promise<Handled>; traced: Deps["traced"] } => {
  const { topics, kafka, partner } = config;
  if (traces === null)
    return {
      around: (record, work) => work({ ...record, ...(traceOf(record) ?? { traceparent: null }) }),
      traced: undefined,
    };
  const address = { url: new URL(partner.baseUrl ?? ""), mask };
  return {
    around: async (record, work) => {
      const span = begin(traces, record);
      let handled: Handled | null = null;
      try {
        const { traceparent, tracestate } = span;
        handled = await work({ ...record, traceparent, tracestate });
        return handled;
      } finally {
        end(span, record, { handled, groupId: kafka.groupId });
      }
    },
    traced: (envelope) => {
      const parent = contextOf(envelope);
      return {
        call: callInSpan(traces, address, parent, call),
        journal: {
          ...journal,
          append: (key, entry) => {
            const verb = VERBS[entry.step.kind];
            const span = { topic: topics.journal, verb, carriesTrace: false, parent };
            return sendInSpan(traces, span, () => journal.append(key, entry));
          },
        },
      };
    },
  };
};
