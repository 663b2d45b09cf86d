import type { CommandRecord } from "../commands-to-results/flow.ts";
import type { Publish, ResultCodec } from "../commands-to-results/journal/ports.ts";
import type { Config } from "../config/config.ts";
import { decoder, encoder } from "../kafka/schema/codec.ts";
import { envelopeHeaders } from "../kafka/produce/envelope.ts";
import type { Headers } from "../kafka/record.ts";
import { readSchema } from "../kafka/schema/schemas.ts";
import type { CommandResult } from "../records.ts";
import type { Kit } from "./kit.ts";
import type { Part } from "./part.ts";

const RESULT_TYPE = "cambio.bridge.v1.CommandResult";
const TIMEOUT_MS = 15_000;
/** Nobody's place waits for a result to be written. A journal entry is waited for, and would be worth less so. */
const GATHER_MS = 4;

/** The results topic: how its values are written and read, and where they go. */
export type Results = Part & {
  codec: ResultCodec;
  /** Publishes a result under its commandId. `value` are its bytes. */
  publish: Publish;
  /** Publishes the result of a record that has no place in the journal. */
  answer: (result: CommandResult, record: CommandRecord) => Promise<void>;
};

const originOf = ({ topic, partition, offset }: CommandRecord): Headers => ({
  "command-topic": topic,
  "command-partition": String(partition),
  "command-offset": String(offset),
});

export const openResults = (config: Config, kit: Kit, schemaId: number): Results => {
  const topic = config.topics.results;
  const schema = readSchema("command-result");
  const encode = encoder<CommandResult>(schema, schemaId);
  const decode = decoder<CommandResult>(schema, kit.registry, kit.clock.now, schemaId);
  const publisher = kit.publisher(topic, {
    maxWaiting: 20_000,
    maxWaitingBytes: 64 * 1_048_576,
    sendTimeoutMs: 8_000,
    gatherMs: GATHER_MS,
  });

  const { common, headersOf: envelopeOf } = envelopeHeaders({
    type: RESULT_TYPE,
    source: config.partner.baseUrl ?? "",
  });
  const headersOf = (result: CommandResult, traceparent: string | null): Headers => ({
    ...envelopeOf({
      id: result.resultId,
      subject: result.commandId,
      timeMs: result.completedAt,
      traceparent,
    }),
    "correlation-id": result.commandId,
    outcome: result.outcome,
  });

  return {
    codec: {
      encode,
      decode: (value) => {
        const decoded = decode(value);
        if (decoded instanceof Promise) throw new Error("the schema of an earlier result is being asked for");
        if (!decoded.ok) throw new Error(`an earlier result cannot be read: ${decoded.detail}`);
        return decoded.value;
      },
    },
    publish: async (result, value, traceparent) => {
      const headers = headersOf(result, traceparent);
      await publisher.publish({ key: Buffer.from(result.commandId), value, headers, common }, TIMEOUT_MS);
    },
    answer: async (result, record) => {
      const unreadable = result.error?.code === "UNREADABLE_COMMAND";
      const key = unreadable || result.commandId === "" ? record.key : Buffer.from(result.commandId);
      const headers = { ...headersOf(result, record.traceparent), ...(unreadable && originOf(record)) };
      await publisher.publish({ key, value: encode(result), headers, common }, TIMEOUT_MS);
    },
    components: () => ({ "results-publisher": { ...publisher.state(), required: true } }),
    waiting: () => ({ [topic]: publisher.state().waiting }),
    close: () => publisher.close(0),
  };
};
