import { readFileSync } from "node:fs";
import avro from "avsc";

export type RecordName =
  "transaction-status-updated" | "command" | "command-result" | "command-journal-entry";

export type Schema = {
  readonly json: Record<string, unknown>;
  readonly type: avro.Type;
};

/** Reads one of our schemas. The folder is found from src/ and from dist/ alike. */
export const readSchema = (record: RecordName): Schema => {
  const file = new URL(`../../../schemas/${record}.avsc`, import.meta.url);
  const json = JSON.parse(readFileSync(file, "utf8")) as Record<string, unknown>;
  const type = avro.Type.forSchema(json as unknown as avro.Schema);
  return { json, type };
};

/** A reader's type that skips fields: by record, named without its namespace. */
export const withoutFields = (
  { json }: Pick<Schema, "json">,
  fields: Readonly<Record<string, readonly string[]>>,
): avro.Type => {
  const narrowed = JSON.parse(JSON.stringify(json), (_, part: unknown) => {
    if (typeof part !== "object" || part === null || !("name" in part && "fields" in part)) return part;
    const dropped = fields[String(part.name)] ?? [];
    const all = part.fields as { name: string }[];
    return { ...part, fields: all.filter(({ name }) => !dropped.includes(name)) };
  }) as avro.Schema;
  return avro.Type.forSchema(narrowed);
};

/**
 * Reads longs beyond 2^53, which avsc refuses as "potential precision loss", as the nearest number: the value
 * is valid Avro, and a rule of the field can refuse it by name. Never written.
 */
const wideLong = avro.types.LongType.__with({
  fromBuffer: (bytes: Buffer) => Number(bytes.readBigInt64LE()),
  toBuffer: (value: number) => {
    const bytes = Buffer.alloc(8);
    bytes.writeBigInt64LE(BigInt(value));
    return bytes;
  },
  fromJSON: (value: number) => value,
  toJSON: (value: number) => value,
  isValid: (value: unknown) => Number.isInteger(value),
  compare: (one: number, other: number) => one - other,
});

const isLong = (schema: avro.Schema): boolean =>
  schema === "long" || (typeof schema === "object" && "type" in schema && schema.type === "long");

/** A reader's type that reads every long, also one that no JavaScript number can hold exactly. */
export const withWideLongs = ({ json }: Pick<Schema, "json">): avro.Type =>
  avro.Type.forSchema(json as unknown as avro.Schema, {
    typeHook: (schema) => (isLong(schema) ? wideLong : undefined),
  });
