import type { Origin, Publish } from "../accept-once/ports.ts";
import { decoder, fieldsEncoder, headOf } from "../../kafka/schema/codec.ts";
import { bridgeSource, cloudEventHeaders, withoutEmpty } from "../../kafka/produce/cloud-event.ts";
import { isRefused } from "../../kafka/produce/publish-error.ts";
import type { Header } from "../../kafka/record.ts";
import { readSchema } from "../../kafka/schema/schemas.ts";
import type { CommandResult } from "../../records.ts";
import type { RecordPosition } from "../../runtime/record-position.ts";
import type { Services } from "../../kafka/wire/services.ts";
import { contextOf, type TraceContext } from "../../runtime/traces.ts";
import { sendInSpan } from "../../kafka/produce/record-span.ts";

const RESULT_TYPE = "cambio.bridge.v1.CommandResult";
const TIMEOUT_MS = 15_000;

type PublishResult = (...published: Parameters<Publish>) => Promise<RecordPosition>;
type Put = (...args: [...Parameters<Publish>, trace: TraceContext | null]) => Promise<RecordPosition>;

const originHeaders = ({ topic, partition, offset }: Origin): Header[] => [
  ["command-topic", topic],
  ["command-partition", String(partition)],
  ["command-offset", String(offset)],
];

export const openResults = async (services: Services, schemaId: number) => {
  const { config } = services;
  const topic = config.topics.results;
  const schema = readSchema("command-result");
  const { encode, olderId } = await fieldsEncoder<CommandResult>(
    schema,
    { topic, schemaId },
    services.registry,
  );
  const decode = decoder<CommandResult>(schema, services, { ownId: schemaId });
  // The codec does not wait for a schema, so the one that most earlier results have is asked for now.
  if (olderId !== null) await Promise.resolve(decode(headOf(olderId))).catch(() => undefined);
  const publisher = services.publisher(topic, {
    maxWaiting: 20_000,
    // Enough for the key of the largest record that is decompressed: its sender chose it.
    maxWaitingBytes: 72 * 1_048_576,
    sendTimeoutMs: 8_000,
  });

  const { encodedHeaders, headersOf: envelopeOf } = cloudEventHeaders({
    type: RESULT_TYPE,
    // `resolve` runs without the partner's address, too. An empty source is no CloudEvent.
    source: config.partner.baseUrl ?? bridgeSource(config.kafka.groupId),
  });
  const headersOf = (result: CommandResult, trace: TraceContext | null): Header[] => {
    const { resultId: id, commandId: subject, completedAt: timeMs, outcome } = result;
    const routingHeaders = withoutEmpty([
      ["correlation-id", subject],
      ["outcome", outcome],
    ]);
    return [...envelopeOf({ id, subject, timeMs, trace }), ...routingHeaders];
  };

  const put: Put = async (result, value, { origin }, trace) => {
    const key = origin ? origin.key : Buffer.from(result.commandId);
    const headers = [...headersOf(result, trace), ...(origin ? originHeaders(origin) : [])];
    const record = { key, value, headers, encodedHeaders };
    try {
      return await publisher.publish(record, TIMEOUT_MS);
    } catch (error) {
      if (!isRefused(error)) throw error;
      // The journal may take larger records than this topic. A result without the partner's text is better than none.
      if (result.response !== null)
        return publisher.publish({ ...record, value: encode({ ...result, response: null }) }, TIMEOUT_MS);
      // Only the key, which the sender chose, can still make it too large. The headers name the record.
      if (origin && key !== null) return publisher.publish({ ...record, key: null }, TIMEOUT_MS);
      throw error;
    }
  };
  const { traces } = services;
  const publishAs =
    (relation: "parent" | "link"): PublishResult =>
    async (result, value, envelope) => {
      const context = contextOf(envelope);
      if (traces === null) return put(result, value, envelope, context);
      const attributes = {
        "messaging.message.id": result.resultId,
        "messaging.message.conversation_id": result.commandId || undefined,
        "cambio.outcome": result.outcome,
      };
      const span = { topic, carriesTrace: true, parent: null, [relation]: context, attributes };
      return sendInSpan(traces, span, (trace) => put(result, value, envelope, trace));
    };
  return {
    codec: {
      encode,
      decode: (value: Buffer): CommandResult => {
        const decoded = decode(value);
        if (decoded instanceof Promise) throw new Error("the schema of an earlier result is being asked for");
        if (!decoded.ok) throw new Error(`an earlier result cannot be read: ${decoded.detail}`);
        return decoded.value;
      },
    },
    /** Its span is a child of the envelope's trace. */
    publish: publishAs("parent"),
    /** The envelope's trace may have ended long ago: the span only links to it. */
    publishLate: publishAs("link"),
    components: () => ({ "results-publisher": { health: publisher.health(), serves: "commands" as const } }),
    waiting: () => ({ [topic]: publisher.waiting() }),
    close: () => publisher.close(0),
  };
};
