import type avro from "avsc";
import type { Registry } from "./registry.ts";
import type { Schema } from "./schemas.ts";

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
 * Decodes what was written with this schema or one that Avro can resolve into it. Answers at once when the writer's schema is
 * known already; otherwise asks the registry, and rejects when that cannot be reached: then nothing can be said of the record.
 */
export type Decode<T> = (bytes: Buffer) => Decoded<T> | Promise<Decoded<T>>;

/** An id that the registry does not know is not asked for again for so long. */
const UNKNOWN_HOLDS_MS = 30_000;
const MAX_REMEMBERED = 10_000;

type Reader = { resolver: ReturnType<avro.Type["createResolver"]> } | { refusal: string };

/** @param ownId the id of this very schema, where it is known: its records are then decoded without ever asking the registry */
export const decoder = <T>(
  schema: Schema,
  registry: Registry,
  now: () => number,
  ownId: number | null = null,
): Decode<T> => {
  const readers = new Map<number, Reader & { until: number }>();
  if (ownId !== null) {
    readers.set(ownId, {
      resolver: schema.type.createResolver(schema.type),
      until: Number.POSITIVE_INFINITY,
    });
  }

  const read = (bytes: Buffer, reader: Reader): Decoded<T> => {
    if ("refusal" in reader) return { ok: false, detail: reader.refusal };
    try {
      const decoded = schema.type.decode(bytes, HEAD_BYTES, reader.resolver);
      if (decoded.offset === bytes.length) return { ok: true, value: decoded.value as T };
      return {
        ok: false,
        detail: decoded.offset < 0 ? "the Avro value is cut off" : "bytes follow the Avro value",
      };
    } catch (error) {
      return {
        ok: false,
        detail: `not the Avro of its schema: ${error instanceof Error ? error.message : ""}`,
      };
    }
  };

  const readerOf = (id: number, writer: avro.Type | null): Reader => {
    if (writer === null) return { refusal: `the registry knows no schema ${id}` };
    if (writer.name !== schema.name) return { refusal: `schema ${id} is ${writer.name ?? "nameless"}` };
    try {
      return { resolver: schema.type.createResolver(writer) };
    } catch (error) {
      return { refusal: `schema ${id} does not fit: ${error instanceof Error ? error.message : ""}` };
    }
  };

  return (bytes) => {
    if (bytes.length < HEAD_BYTES || bytes[0] !== MAGIC)
      return { ok: false, detail: "neither JSON nor Avro with a schema id" };
    const id = bytes.readInt32BE(1);
    const known = readers.get(id);
    if (known && known.until > now()) return read(bytes, known);
    return registry.writer(id).then((writer) => {
      const reader = readerOf(id, writer);
      if (readers.size >= MAX_REMEMBERED) readers.clear();
      readers.set(id, {
        ...reader,
        until: writer === null ? now() + UNKNOWN_HOLDS_MS : Number.POSITIVE_INFINITY,
      });
      return read(bytes, reader);
    });
  };
};
