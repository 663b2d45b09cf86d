import { expect, it } from "vitest";
import { decoder } from "../../../../src/kafka/schema/codec.ts";
import { readSchema } from "../../../../src/kafka/schema/schemas.ts";
import type { Field, RecordJson } from "./command-writers.ts";
import { commandSchema, registered, written } from "./command-writers.ts";

/**
 * Decodes an accept whose writer has one more optional field, which is written as these bytes, behind all
 * others.
 */
const decodeWith = async (type: unknown, bytes: Buffer, defaultValue: unknown = null) => {
  const schema = commandSchema((command) => command.fields.push(field("added", type, defaultValue)));
  const value = Buffer.concat([written(7, commandSchema()), bytes]);
  const writer = () => Promise.resolve(registered(schema));
  return decoder(readSchema("command"), { writer }, () => 0)(value);
};

const field = (name: string, type: unknown, defaultValue: unknown): Field => ({
  name,
  type,
  default: defaultValue,
});
const record = (name: string, fields: Field[]): RecordJson => ({ type: "record", name, fields });

/** An array's or a map's first block says that it holds 2^40 items; the second branch of a union. */
const MANY = Buffer.from([0x02, 0x80, 0x80, 0x80, 0x80, 0x80, 0x40]);

/**
 * Records in records, so many levels deep, with so many fields on each level; the innermost field holds
 * nothing.
 */
const nested = (levels: number, width: number, defaultValue: unknown): RecordJson => {
  const fieldsOf = (type: unknown, value: unknown): Field[] =>
    Array.from({ length: width }, (_, i) => field(`f${i}`, type, value));
  let inner: RecordJson = record("Level0", fieldsOf("null", null));
  for (let level = 1; level < levels; level++) {
    const [first, ...others] = fieldsOf(`Level${level - 1}`, defaultValue);
    inner = record(`Level${level}`, [{ ...first!, type: inner }, ...others]);
  }
  return inner;
};

it.each([
  ["an array of nothing", ["null", { type: "array", items: "null" }], MANY],
  ["an array of texts", ["null", { type: "array", items: "string" }], MANY],
  ["a map", ["null", { type: "map", values: "null" }], MANY],
  [
    "an array in a record in a union",
    ["null", record("Inner", [field("items", ["null", { type: "array", items: "null" }], null)])],
    Buffer.concat([Buffer.from([0x02]), MANY]),
  ],
  [
    "a record that contains itself",
    ["null", record("Chain", [field("next", ["null", "Chain"], null)])],
    Buffer.alloc(100_000, 0x02),
  ],
  [
    "a record that always contains itself",
    ["null", record("Endless", [{ name: "next", type: "Endless" }])],
    Buffer.from([0x02]),
  ],
])("refuses a writer's schema with an optional field that may be long: %s", async (_, type, bytes) => {
  expect(await decodeWith(type, bytes)).toEqual({
    ok: false,
    detail: "schema 7 does not fit: Command has the unknown field added, which may be endless",
  });
});

it("refuses optional fields with too many values to skip", async () => {
  const detail = expect.stringMatching(/Command has unknown fields of \S+ values/) as string;
  expect(await decodeWith(["null", nested(30, 10, undefined)], Buffer.from([0x02]))).toEqual({
    ok: false,
    detail,
  });
  expect(await decodeWith(["null", nested(4, 6, undefined)], Buffer.from([0x02]))).toEqual({
    ok: false,
    detail,
  });
});

it("refuses a default that is an object or an array", async () => {
  const type = nested(30, 10, {});
  expect(await decodeWith(type, Buffer.alloc(0), {})).toEqual({
    ok: false,
    detail: expect.stringContaining("the default of added is not a plain value") as string,
  });
});

it("refuses a schema that is too long", async () => {
  const type = { type: "enum", name: "Long", symbols: Array.from({ length: 40_000 }, (_, i) => `S${i}`) };
  expect(await decodeWith(type, Buffer.from([0]), "S0")).toEqual({
    ok: false,
    detail: expect.stringContaining("characters long") as string,
  });
});

it.each([
  ["a text", ["null", "string"], Buffer.from([0x02, 0x02, 0x41])],
  ["an enum", { type: "enum", name: "E", symbols: ["A", "B"] }, Buffer.from([0x02]), "A"],
  [
    "a fixed",
    ["null", { type: "fixed", name: "Sixteen", size: 16 }],
    Buffer.concat([Buffer.from([0x02]), Buffer.alloc(16)]),
  ],
  ["records in records", ["null", nested(3, 3, undefined)], Buffer.from([0x02])],
])("reads a writer's schema with an optional field of %s", async (_, type, bytes, defaultValue?: string) => {
  expect(await decodeWith(type, bytes, defaultValue ?? null)).toMatchObject({
    ok: true,
    value: { commandId: "c-1" },
  });
});

it("does not skip beyond the end of the record", async () => {
  expect(await decodeWith(["null", "string"], MANY)).toMatchObject({ ok: false });
});

it("bounds its message, however long the names in the schema are: it becomes a header", async () => {
  const schema = { ...commandSchema(), name: "x".repeat(100_000) };
  const writer = () => Promise.resolve(registered(schema));
  const refused = await decoder(readSchema("command"), { writer }, () => 0)(written(7, commandSchema()));
  expect(refused.ok ? "" : refused.detail).toMatch(/^schema 7 does not fit: .{1,500}$/);
});

it.each(["toString", "valueOf", "constructor", "__proto__"])(
  "refuses an unknown field named like a member of every object, which the decoder does not pass over: %s",
  async (name) => {
    const schema = commandSchema((command) => command.fields.unshift(field(name, "string", "")));
    const value = Buffer.concat([Buffer.from([0, 0, 0, 0, 7, 0]), written(7, commandSchema()).subarray(5)]);
    const writer = () => Promise.resolve(registered(schema));
    expect(await decoder(readSchema("command"), { writer }, () => 0)(value)).toEqual({
      ok: false,
      detail: `schema 7 does not fit: Command has the unknown field ${name}, which cannot be passed over`,
    });
  },
);
