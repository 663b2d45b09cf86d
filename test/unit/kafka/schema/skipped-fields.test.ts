import { expect, it } from "vitest";
import { decoder } from "../../../../src/kafka/schema/codec.ts";
import { readSchema } from "../../../../src/kafka/schema/schemas.ts";
import type { Field, RecordJson } from "./command-writers.ts";
import { commandSchema, written } from "./command-writers.ts";

const decodeAs = (schema: RecordJson, bytes: Buffer) =>
  decoder(readSchema("command"), {
    registry: { writer: () => Promise.resolve(JSON.stringify(schema)) },
    clock: { monotonic: () => 0 },
  })(bytes);

const field = (name: string, type: unknown, defaultValue: unknown): Field => ({
  name,
  type,
  default: defaultValue,
});
const record = (name: string, fields: Field[]): RecordJson => ({ type: "record", name, fields });

/** Decodes an accept whose writer has one more optional field, which is written as these bytes, behind all others. */
const decodeWith = (type: unknown, bytes: Buffer, defaultValue: unknown = null) =>
  decodeAs(
    commandSchema((command) => command.fields.push(field("added", type, defaultValue))),
    Buffer.concat([written(7, commandSchema()), bytes]),
  );

/** An array's or a map's first block says that it holds 2^40 items; the second branch of a union. */
const MANY = Buffer.from([0x02, 0x80, 0x80, 0x80, 0x80, 0x80, 0x40]);

/** Records in records, thirty levels deep, with ten fields on each; the innermost field holds nothing. */
const nested = (defaultValue: unknown): RecordJson => {
  const fieldsOf = (type: unknown, value: unknown): Field[] =>
    Array.from({ length: 10 }, (_, i) => field(`f${i}`, type, value));
  let inner: RecordJson = record("Level0", fieldsOf("null", null));
  for (let level = 1; level < 30; level++) {
    const [first, ...others] = fieldsOf(`Level${level - 1}`, defaultValue);
    inner = record(`Level${level}`, [{ ...first!, type: inner }, ...others]);
  }
  return inner;
};

it.each([
  ["an array of nothing", ["null", { type: "array", items: "null" }], MANY],
  ["a map of arrays", ["null", { type: "map", values: { type: "array", items: "null" } }], MANY],
  [
    "a record that contains itself",
    ["null", record("Chain", [field("next", ["null", "Chain"], null)])],
    Buffer.alloc(100_000, 0x02),
  ],
  ["records in records", ["null", nested(undefined)], Buffer.from([0x02])],
])("refuses a writer's schema with an optional field that may be long: %s", async (_, type, bytes) => {
  expect(await decodeWith(type, bytes)).toEqual({
    ok: false,
    detail: "schema 7 does not fit: Command has the unknown field added, which cannot be passed over",
  });
});

it.each([
  ["a default that is an object", nested({}), {}, "the default of added is not a plain value"],
  [
    "a default that fills a map",
    { type: "map", values: nested({}) },
    { a: {} },
    "the default of added is not a plain value",
  ],
  [
    "one that is too long",
    { type: "enum", name: "Long", symbols: Array.from({ length: 40_000 }, (_, i) => `S${i}`) },
    "S0",
    "characters long",
  ],
])("refuses a schema with %s", async (_, type, defaultValue, detail) => {
  expect(await decodeWith(type, Buffer.from([0]), defaultValue)).toEqual({
    ok: false,
    detail: expect.stringContaining(detail) as string,
  });
});

it.each([
  ["a text", ["null", "string"], Buffer.from([0x02, 0x02, 0x41])],
  ["an enum", { type: "enum", name: "E", symbols: ["A", "B"] }, Buffer.from([0x02]), "A"],
  ["a map", { type: "map", values: "string" }, Buffer.from([0x02, 0x02, 0x6b, 0x02, 0x76, 0x00]), {}],
  [
    "a fixed",
    ["null", { type: "fixed", name: "Sixteen", size: 16 }],
    Buffer.concat([Buffer.from([0x02]), Buffer.alloc(16)]),
  ],
])(
  "reads a writer's schema with an optional field of %s",
  async (_, type, bytes, defaultValue?: string | object) => {
    expect(await decodeWith(type, bytes, defaultValue ?? null)).toMatchObject({
      ok: true,
      value: { commandId: "c-1" },
    });
  },
);

it("bounds its message, however long the names in the schema are: it becomes a header", async () => {
  const refused = await decodeAs(
    { ...commandSchema(), name: "x".repeat(100_000) },
    written(7, commandSchema()),
  );
  expect(refused.ok ? "" : refused.detail).toMatch(/^schema 7 does not fit: .{1,500}$/);
});

it.each(["toString", "constructor", "__proto__"])(
  "refuses an unknown field named like a member of every object, which avsc does not pass over: %s",
  async (name) => {
    const schema = commandSchema((command) => command.fields.unshift(field(name, "string", "")));
    const value = Buffer.concat([Buffer.from([0, 0, 0, 0, 7, 0]), written(7, commandSchema()).subarray(5)]);
    expect(await decodeAs(schema, value)).toEqual({
      ok: false,
      detail: `schema 7 does not fit: Command has the unknown field ${name}, which cannot be passed over`,
    });
  },
);
