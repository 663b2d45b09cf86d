import { readFileSync } from "node:fs";
import avro from "avsc";

// Confluent's wire format, with avsc and the files of schemas/: no code of the bridge.

const WIRE_HEADER_BYTES = 5;

const typeOf = (file: string): avro.Type => {
  const schema: unknown = JSON.parse(
    readFileSync(new URL(`../../schemas/${file}.avsc`, import.meta.url), "utf8"),
  );
  return avro.Type.forSchema(schema as avro.Schema);
};

const types = {
  "transaction-status-updated": typeOf("transaction-status-updated"),
  command: typeOf("command"),
  "command-result": typeOf("command-result"),
  "command-journal-entry": typeOf("command-journal-entry"),
};
export type RecordName = keyof typeof types;

/** Throws for a missing or an additional byte. */
export const decode = (record: RecordName, value: Buffer | null): Record<string, unknown> => {
  if (value?.[0] !== 0) throw new Error("not in Confluent's wire format");
  return { ...(types[record].fromBuffer(value.subarray(WIRE_HEADER_BYTES)) as Record<string, unknown>) };
};

export const encode = (record: RecordName, schemaId: number, value: unknown): Buffer => {
  const head = Buffer.alloc(WIRE_HEADER_BYTES);
  head.writeInt32BE(schemaId, 1);
  return Buffer.concat([head, types[record].toBuffer(value)]);
};

export const schemaIdOf = (value: Buffer | null): number => value?.readInt32BE(1) ?? -1;

/** The id of the newest schema of a topic's values. */
export const latestSchemaId = async (registryUrl: string, topic: string): Promise<number> => {
  const response = await fetch(`${registryUrl}/subjects/${topic}-value/versions/latest`);
  if (!response.ok) throw new Error(`the registry answers ${response.status}`);
  return ((await response.json()) as { id: number }).id;
};
