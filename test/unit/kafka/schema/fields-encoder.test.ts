import { expect, it } from "vitest";
import { decoder, fieldsEncoder } from "../../../../src/kafka/schema/codec.ts";
import type { Registry } from "../../../../src/kafka/schema/registry.ts";
import { readSchema, withoutFields, type Schema } from "../../../../src/kafka/schema/schemas.ts";
import type { CommandResult } from "../../../../src/records.ts";

const schema = readSchema("command-result");
const [OLD, NEW] = [3, 9];
const older = withoutFields(schema, { CommandResult: ["fields"] });
const textOf = ({ json }: Schema): string => JSON.stringify(json);

const encoderOf = (find: Registry["find"]) =>
  fieldsEncoder<CommandResult>(schema, { topic: "t", schemaId: NEW }, { find });

/** Whether the registry has the schema without `fields`, too. */
const encoderBeside = (isRollOut: boolean) =>
  encoderOf((subject, sought) => {
    const isOlder = subject === "t-value" && textOf(sought) === textOf(older);
    return Promise.resolve(isRollOut && isOlder ? OLD : null);
  });
const registry = { writer: (id: number) => Promise.resolve(textOf(id === OLD ? older : schema)) };
const decodeBy = (reader: Schema, bytes: Buffer) =>
  decoder<CommandResult>(reader, { registry, clock: { monotonic: () => 0 } })(bytes);
const former = {
  resultId: "0",
  commandId: "c-1",
  operation: "ACCEPT_QUOTE",
  outcome: "SUCCEEDED",
  final: true,
  quoteId: "q-1",
  externalId: null,
  transactionId: null,
  httpStatus: 200,
  response: "{}",
  error: null,
  attempts: 1,
  decidedBy: "PARTNER",
  receivedAt: 1,
  completedAt: 2,
} as const;
const plain: CommandResult = { ...former, fields: {} };
const rich: CommandResult = { ...former, fields: { rate: "5.10", constructor: "x" } };

it.each([true, false])(
  "old and new replicas read each other's records; both schemas are there: %s",
  async (isRollOut) => {
    const { encode } = await encoderBeside(isRollOut);
    for (const value of [plain, rich]) {
      expect(await decodeBy(schema, encode(value))).toEqual({ ok: true, value });
      expect(await decodeBy(older, encode(value))).toEqual({ ok: true, value: former });
    }
    // A replica that knows no map reads no record by a schema that has one.
    expect(encode(plain).readInt32BE(1)).toBe(isRollOut ? OLD : NEW);
    expect(encode(rich).readInt32BE(1)).toBe(NEW);
  },
);

it("a registry that does not answer costs nothing but the older form", async () => {
  const { encode } = await encoderOf(() => Promise.reject(new Error("away")));
  expect(encode(plain).readInt32BE(1)).toBe(NEW);
});

it.each([
  ["entries without end", Buffer.from([0x80, 0x80, 0x80, 0x80, 0x80, 0x40])],
  [
    "entries without end, in a block that says its size",
    Buffer.from([0xff, 0xff, 0xff, 0xff, 0xff, 0x3f, 0x00]),
  ],
  ["blocks without end", Buffer.alloc(50, 0x02)],
])("a map that claims %s costs its reader no time", async (_, claim) => {
  const { encode } = await encoderBeside(false);
  const bytes = encode({ ...plain, fields: { k: "v" } });
  const at = bytes.indexOf(Buffer.from([0x02, 0x02, 0x6b, 0x02, 0x76, 0x00]));
  const hostile = Buffer.concat([bytes.subarray(0, at), claim]);
  for (const reader of [schema, older]) expect(await decodeBy(reader, hostile)).toMatchObject({ ok: false });
});
