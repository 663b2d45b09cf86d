import avro from "avsc";
import { messageOf } from "../../runtime/errors.ts";
import { keepNewest } from "../../runtime/keep-newest.ts";
import type { Clock } from "../../runtime/clock.ts";
import { subjectOf } from "../cluster/topics.ts";
import type { Registry } from "./registry.ts";
import { withoutFields, type Schema } from "./schemas.ts";
import { checkWriter, parseSchema, type ParsedSchema } from "./writer-schema.ts";

/** Confluent wire format: a zero byte, the schema id in four bytes, then Avro binary. */
const MAGIC = 0;
const HEAD_BYTES = 5;

export const headOf = (schemaId: number): Buffer => {
  const head = Buffer.alloc(HEAD_BYTES, MAGIC);
  head.writeInt32BE(schemaId, 1);
  return head;
};

export type Encode<T> = (value: T) => Buffer;

/** Encodes into a reused buffer and copies the result, which is the fastest way with avsc. */
export const encoder = <T>(schema: Schema, schemaId: number): Encode<T> => {
  const head = headOf(schemaId);
  let buffer = Buffer.alloc(16_384);
  return (value) => {
    let end = schema.type.encode(value, buffer, HEAD_BYTES);
    if (end < 0) {
      // A negative end is the negated number of missing bytes.
      buffer = Buffer.alloc(buffer.length - end + HEAD_BYTES);
      end = schema.type.encode(value, buffer, HEAD_BYTES);
    }
    head.copy(buffer);
    return Buffer.from(buffer.subarray(0, end));
  };
};

const NEW_FIELDS = { TransactionStatusUpdated: ["fields"], CommandResult: ["fields"] };

/** Writes empty `fields` by the older schema, if registered: replicas of version 0.3 refuse every schema with a map. */
export const fieldsEncoder = async <T extends { fields: Record<string, string> }>(
  schema: Schema,
  { topic, schemaId }: { topic: string; schemaId: number },
  registry: Pick<Registry, "find">,
): Promise<{ encode: Encode<T>; olderId: number | null }> => {
  const encode = encoder<T>(schema, schemaId);
  const older = withoutFields(schema, NEW_FIELDS);
  // A registry that stops answering must not make the start fail: this is for one roll-out only.
  const olderId = await registry.find(subjectOf(topic), older).catch(() => null);
  if (olderId === null) return { encode, olderId };
  const encodeOlder = encoder<T>(older, olderId);
  const isPlain = (value: T): boolean => Object.keys(value.fields).length === 0;
  return { encode: (value) => (isPlain(value) ? encodeOlder : encode)(value), olderId };
};

/** `first`: the first field of a damaged value whose schema fits, if it is a text and whole. */
type Decoded<T> = { ok: true; value: T } | { ok: false; detail: string; first?: TextField };
type TextField = { name: string; text: string };

/** Synchronous when the writer's schema is cached. Rejects when the registry is unreachable: the record may be fine. */
export type Decode<T> = (bytes: Buffer) => Decoded<T> | Promise<Decoded<T>>;

/** How long the registry is not asked again for an id that it did not know. */
const UNKNOWN_HOLDS_MS = 30_000;
const MAX_UNKNOWN = 10_000;

/** Names in a schema may be of any length, and the detail becomes a header of the dead letter. */
const MAX_REFUSAL_LENGTH = 500;
const MAX_FIRST_BYTES = 16_384;

type Reader = { resolver: ReturnType<avro.Type["createResolver"]>; writer: avro.Type } | { refusal: string };

const { RecordType, StringType } = avro.types;

/** Reads only the first field, if it is a text. Invalid UTF-8 in it is replaced. */
const firstText = (writer: avro.Type, bytes: Buffer): { first?: TextField } => {
  const field = writer instanceof RecordType ? writer.fields[0] : undefined;
  if (!(field?.type instanceof StringType)) return {};
  try {
    const start = bytes.subarray(0, HEAD_BYTES + MAX_FIRST_BYTES);
    const decoded = field.type.decode(start, HEAD_BYTES);
    const first = { name: field.name, text: decoded.value as string };
    return decoded.offset > HEAD_BYTES ? { first } : {};
  } catch {
    return {};
  }
};

const readerFor = (reader: ParsedSchema, readType: avro.Type, id: number, text: string): Reader => {
  try {
    const writer = parseSchema(text);
    checkWriter(reader, writer);
    return { resolver: readType.createResolver(writer.type), writer: writer.type };
  } catch (error) {
    return { refusal: `schema ${id} does not fit: ${messageOf(error).slice(0, MAX_REFUSAL_LENGTH)}` };
  }
};

/** @param readType reads fewer fields than the schema, or reads them otherwise. The whole schema decides what fits */
export const decoder = <T>(
  schema: Schema,
  { registry, clock }: { registry: Pick<Registry, "writer">; clock: Pick<Clock, "monotonic"> },
  { ownId = null, readType }: { ownId?: number | null; readType?: avro.Type } = {},
): Decode<T> => {
  const parsed = parseSchema(JSON.stringify(schema.json));
  const type = readType ?? parsed.type;
  /** By schema id. At most as many as the registry has schemas; never evicted, since ids are immutable. */
  const readers = new Map<number, Reader>();
  if (ownId !== null) readers.set(ownId, { resolver: type.createResolver(parsed.type), writer: parsed.type });
  /** By unknown id, when the registry may be asked again; oldest first. */
  const unknown = new Map<number, number>();

  const read = (bytes: Buffer, reader: Reader): Decoded<T> => {
    if ("refusal" in reader) return { ok: false, detail: reader.refusal };
    try {
      const decoded = type.decode(bytes, HEAD_BYTES, reader.resolver);
      if (decoded.offset === bytes.length) return { ok: true, value: decoded.value as T };
      throw new Error(decoded.offset < 0 ? "it is cut off" : "bytes follow it");
    } catch (error) {
      const detail = `not the Avro of its schema: ${messageOf(error)}`;
      return { ok: false, detail, ...firstText(reader.writer, bytes) };
    }
  };

  return (bytes) => {
    if (bytes.length < HEAD_BYTES || bytes[0] !== MAGIC)
      return { ok: false, detail: "neither JSON nor Avro with a schema id" };
    const id = bytes.readInt32BE(1);
    const reader = readers.get(id);
    if (reader) return read(bytes, reader);
    const unknownSchema: Decoded<T> = { ok: false, detail: `the registry knows no schema ${id}` };
    // Registries give out positive ids only.
    if (id < 0 || (unknown.get(id) ?? Number.NEGATIVE_INFINITY) > clock.monotonic()) return unknownSchema;
    const answer = registry.writer(id).then((text) => {
      if (text === null) {
        keepNewest(unknown, id, clock.monotonic() + UNKNOWN_HOLDS_MS, MAX_UNKNOWN);
        return unknownSchema;
      }
      const newReader = readers.get(id) ?? readerFor(parsed, type, id, text);
      readers.set(id, newReader);
      return read(bytes, newReader);
    });
    // Some callers come again later instead of waiting: a failure that nobody awaits must not end the process.
    answer.catch(() => undefined);
    return answer;
  };
};
