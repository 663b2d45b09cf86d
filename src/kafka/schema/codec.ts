import type avro from "avsc";
import { messageOf } from "../../runtime/errors.ts";
import type { Registry } from "./registry.ts";
import type { Schema } from "./schemas.ts";
import { schemaMismatch, parseSchema, type ParsedSchema, type RegisteredSchema } from "./writer-schema.ts";

/** Confluent wire format: a zero byte, the schema's id as four bytes, then Avro binary. */
const MAGIC = 0;
const HEAD_BYTES = 5;

export type Encode<T> = (value: T) => Buffer;

/** Encodes into one reused buffer and copies out what was written: the cheapest way avsc has. */
export const encoder = <T>(schema: Schema, schemaId: number): Encode<T> => {
  let space = Buffer.alloc(16_384);
  return (value) => {
    let end = schema.type.encode(value, space, HEAD_BYTES);
    if (end < 0) {
      // avsc says how much was missing.
      space = Buffer.alloc(space.length - end + HEAD_BYTES);
      end = schema.type.encode(value, space, HEAD_BYTES);
    }
    space[0] = MAGIC;
    space.writeInt32BE(schemaId, 1);
    return Buffer.from(space.subarray(0, end));
  };
};

export type Decoded<T> = { ok: true; value: T } | { ok: false; detail: string };

/**
 * Decodes what was written with this schema or an older or newer one of the same record, see `misfit`. Answers at once when the
 * writer's schema is known already; otherwise asks the registry, and rejects when that cannot be reached: then nothing can be said of
 * the record.
 */
export type Decode<T> = (bytes: Buffer) => Decoded<T> | Promise<Decoded<T>>;

/** An id that the registry does not know is not asked for again for so long. */
const UNKNOWN_HOLDS_MS = 30_000;
const MAX_UNKNOWN = 10_000;

/** What is said of a record becomes a header of its dead letter, which has to fit into its topic; a schema's names may be of any length. */
const MAX_PROBLEM_LENGTH = 500;

type Reader = { resolver: ReturnType<avro.Type["createResolver"]> } | { refusal: string };

const readerFor = (
  ours: ParsedSchema,
  read: avro.Type,
  id: number,
  { kind, text, references }: RegisteredSchema,
): Reader => {
  const refuse = (problem: string): Reader => ({
    refusal: `schema ${id} does not fit: ${problem.slice(0, MAX_PROBLEM_LENGTH)}`,
  });
  if (kind !== null && kind !== "AVRO") return refuse(`it is not Avro but ${kind}`);
  try {
    const theirs = parseSchema([...references, text]);
    const problem = schemaMismatch(ours, theirs);
    return problem === null ? { resolver: read.createResolver(theirs.type) } : refuse(problem);
  } catch (error) {
    return refuse(messageOf(error));
  }
};

/**
 * @param ownId the id of this very schema, where it is known: its records are then decoded without ever asking the registry
 * @param readType reads fewer fields than the schema has, see `withoutFields`; what fits is decided by the whole schema
 */
export const decoder = <T>(
  schema: Schema,
  registry: Pick<Registry, "writer">,
  now: () => number,
  ownId: number | null = null,
  readType: avro.Type | null = null,
): Decode<T> => {
  const ours = parseSchema([JSON.stringify(schema.json)]);
  const type = readType ?? ours.type;
  /** As many as the registry has schemas; never forgotten, since an id never changes its meaning. */
  const readers = new Map<number, Reader>();
  if (ownId !== null) readers.set(ownId, { resolver: type.createResolver(ours.type) });
  /** Until when nobody is asked about an id, oldest first. */
  const unknown = new Map<number, number>();

  const read = (bytes: Buffer, reader: Reader): Decoded<T> => {
    if ("refusal" in reader) return { ok: false, detail: reader.refusal };
    try {
      const decoded = type.decode(bytes, HEAD_BYTES, reader.resolver);
      if (decoded.offset === bytes.length) return { ok: true, value: decoded.value as T };
      return {
        ok: false,
        detail: decoded.offset < 0 ? "the Avro value is cut off" : "bytes follow the Avro value",
      };
    } catch (error) {
      return { ok: false, detail: `not the Avro of its schema: ${messageOf(error)}` };
    }
  };

  const remember = (id: number): void => {
    unknown.delete(id);
    unknown.set(id, now() + UNKNOWN_HOLDS_MS);
    const [oldest] = unknown.keys();
    if (unknown.size > MAX_UNKNOWN && oldest !== undefined) unknown.delete(oldest);
  };

  return (bytes) => {
    if (bytes.length < HEAD_BYTES || bytes[0] !== MAGIC)
      return { ok: false, detail: "neither JSON nor Avro with a schema id" };
    const id = bytes.readInt32BE(1);
    const reader = readers.get(id);
    if (reader) return read(bytes, reader);
    const unknownSchema: Decoded<T> = { ok: false, detail: `the registry knows no schema ${id}` };
    // Registries count from one upwards.
    if (id < 0 || (unknown.get(id) ?? Number.NEGATIVE_INFINITY) > now()) return unknownSchema;
    return registry.writer(id).then((registered) => {
      if (registered === null) {
        remember(id);
        return unknownSchema;
      }
      const found = readers.get(id) ?? readerFor(ours, type, id, registered);
      readers.set(id, found);
      return read(bytes, found);
    });
  };
};
