import type { CommandRecord, Handled } from "../flow.ts";
import type { Deps } from "../accept-once/ports.ts";
import { sendInSpan } from "../../kafka/produce/record-span.ts";
import type { Incoming } from "../../kafka/record.ts";
import { traceOf } from "../../kafka/headers.ts";
import type { Services } from "../../kafka/wire/services.ts";
import { callInSpan } from "../../partner/call-span.ts";
import type { Partner } from "../../partner/client.ts";
import { beginsAt, contextOf, type Traces } from "../../runtime/traces.ts";

const VERBS = { claimed: "claim", released: "release", concluded: "conclude", published: "close" } as const;

/** @param handled null if the command was stopped and will be read again */
const attributesOf = ({ topic, partition, offset }: Incoming, handled: Handled | null, groupId: string) => ({
  "messaging.system": "kafka",
  "messaging.operation.type": "process",
  "messaging.operation.name": "process",
  "messaging.destination.name": topic,
  "messaging.destination.partition.id": String(partition),
  "messaging.kafka.offset": offset,
  "messaging.consumer.group.name": groupId,
  "messaging.message.conversation_id": handled?.identity.commandId,
  "cambio.operation": handled?.identity.operation,
  "cambio.outcome": handled?.result?.outcome,
  "cambio.attempts": handled?.result?.attempts,
  "cambio.dead_letter.reason": handled?.deadLettered,
});

const errorTypeOf = (handled: Handled | null): string | null => {
  if (handled === null) return "given_up";
  const { result, deadLettered } = handled;
  const hasFailed = result?.outcome === "FAILED" || result?.outcome === "IN_DOUBT";
  return hasFailed ? (result.error?.code ?? result.outcome) : deadLettered;
};

type Work = (record: Incoming & CommandRecord) => Promise<Handled>;

const inSpan = async (
  { config }: Services,
  traces: Traces,
  record: Incoming,
  work: Work,
): Promise<Handled> => {
  const start = beginsAt(traces, traceOf(record));
  const span = traces.begin({ name: `process ${record.topic}`, kind: "consumer", ...start });
  let handled: Handled | null = null;
  try {
    const { traceparent, tracestate } = span;
    handled = await work({ ...record, traceparent, tracestate });
    return handled;
  } finally {
    if (span.isSampled) span.end(attributesOf(record, handled, config.kafka.groupId), errorTypeOf(handled));
  }
};

export const observed = async (services: Services, record: Incoming, work: Work): Promise<void> => {
  const { clock, log, metrics, traces } = services;
  const startedAt = clock.monotonic();
  const handling =
    traces === null
      ? work({ ...record, ...(traceOf(record) ?? { traceparent: null }) })
      : inSpan(services, traces, record, work);
  const { identity, result, deadLettered } = await handling;
  if (result) metrics.results.inc({ operation: result.operation, outcome: result.outcome });
  const { commandId, operation } = identity;
  const { outcome, quoteId, attempts, error } = result ?? {};
  const { topic, partition, offset } = record;
  const line = { commandId, operation, outcome, code: error?.code, quoteId, attempts, deadLettered };
  const fields = { ...line, topic, partition, offset, ms: Math.round(clock.monotonic() - startedAt) };
  if (outcome === "IN_DOUBT") log.warn(fields, "command.in.doubt");
  else log.info(fields, "command.concluded");
};

/** The ports whose calls and entries are spans of the command's trace. */
export const tracedPorts = (
  { config, traces }: Services,
  { call, journal }: Pick<Deps, "call" | "journal">,
  mask: Partner["mask"],
): Deps["traced"] => {
  if (traces === null) return undefined;
  const address = { url: new URL(config.partner.baseUrl ?? ""), mask };
  return (envelope) => {
    const parent = contextOf(envelope);
    return {
      call: callInSpan(traces, address, parent, call),
      journal: {
        ...journal,
        append: (ref, step) => {
          const verb = VERBS[step.kind];
          const span = { topic: config.topics.journal, verb, carriesTrace: false, parent };
          return sendInSpan(traces, span, () => journal.append(ref, step));
        },
      },
    };
  };
};
