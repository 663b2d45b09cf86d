import avro from "avsc";
import { readSchema } from "../../../../src/kafka/schema/schemas.ts";

export type Field = { name: string; type: unknown; default?: unknown };
export type RecordJson = { type: "record"; name: string; namespace?: string; fields: Field[] };

const NAMESPACE = "cambio.bridge.v1";
export const ISSUED_AT = 1_795_262_400_000;

const only = <T>(value: T | undefined): T => {
  if (value === undefined) throw new Error("no such part of the schema");
  return value;
};

/** A command's schema with a change made to it; `accept` is its AcceptQuote. */
export const commandSchema = (
  change: (command: RecordJson, accept: RecordJson) => unknown = () => undefined,
): RecordJson => {
  const command = structuredClone(readSchema("command").json) as RecordJson;
  const branches = only(command.fields.find(({ name }) => name === "request")).type as RecordJson[];
  change(command, only(branches.find(({ name }) => name === "AcceptQuote")));
  return command;
};

export const without = (record: RecordJson, name: string): void => {
  record.fields = record.fields.filter((field) => field.name !== name);
};

export const retype = (record: RecordJson, name: string, type: unknown): void => {
  only(record.fields.find((field) => field.name === name)).type = type;
};

/** What a producer with this schema would write for an accept, with other values where they are given. */
export const written = (
  id: number,
  schema: RecordJson,
  over: { command?: Record<string, unknown>; accept?: Record<string, unknown> } = {},
): Buffer => {
  const accept = {
    quoteId: "q-1",
    counterpartyId: "cp-1",
    amount: "1000.10",
    externalId: "e-1",
    ...over.accept,
  };
  const value = {
    commandId: "c-1",
    issuedAt: ISSUED_AT,
    expiresAt: null,
    request: { [`${NAMESPACE}.AcceptQuote`]: accept },
    ...over.command,
  };
  const head = Buffer.alloc(5);
  head.writeInt32BE(id, 1);
  return Buffer.concat([head, avro.Type.forSchema(schema as avro.Schema).toBuffer(value)]);
};
