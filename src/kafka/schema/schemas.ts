import { readFileSync } from "node:fs";
import avro from "avsc";

export type RecordName =
  "transaction-status-updated" | "command" | "command-result" | "command-journal-entry";

export type Schema = {
  readonly json: Record<string, unknown>;
  readonly type: avro.Type;
};

const schemaOf = (json: Record<string, unknown>): Schema => ({
  json,
  type: avro.Type.forSchema(json as unknown as avro.Schema),
});

/** Reads one of our schemas. The folder is found from src/ and from dist/ alike. */
export const readSchema = (record: RecordName): Schema => {
  const file = new URL(`../../../schemas/${record}.avsc`, import.meta.url);
  return schemaOf(JSON.parse(readFileSync(file, "utf8")) as Record<string, unknown>);
};

export const withoutFields = ({ json }: Schema, fields: Readonly<Record<string, readonly string[]>>) => {
  const narrowed: unknown = JSON.parse(JSON.stringify(json), (_, part: unknown) => {
    if (typeof part !== "object" || part === null || !("name" in part && "fields" in part)) return part;
    const dropped = fields[String(part.name)] ?? [];
    const partFields = part.fields as { name: string }[];
    return { ...part, fields: partFields.filter(({ name }) => !dropped.includes(name)) };
  });
  return schemaOf(narrowed as Record<string, unknown>);
};

const neverUsed = (): never => {
  throw new Error("a wide long is only read");
};

/** avsc refuses longs beyond 2^53. Here they become the nearest number, so that a field's rule refuses them by name. */
const wideLong = avro.types.LongType.__with({
  fromBuffer: (bytes: Buffer) => Number(bytes.readBigInt64LE()),
  toBuffer: neverUsed,
  fromJSON: neverUsed,
  toJSON: neverUsed,
  isValid: Number.isInteger,
  compare: neverUsed,
});

const isLong = (schema: avro.Schema): boolean =>
  schema === "long" || (typeof schema === "object" && "type" in schema && schema.type === "long");

/** A reader's type that reads every long, also one that no JavaScript number can hold exactly. */
export const withWideLongs = ({ json }: Pick<Schema, "json">): avro.Type =>
  avro.Type.forSchema(json as unknown as avro.Schema, {
    typeHook: (schema) => (isLong(schema) ? wideLong : undefined),
  });
