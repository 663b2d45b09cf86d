import type { Type } from "avsc";
import { expect, it, vi, onTestFinished } from "vitest";
import { decoder, encoder } from "../../../../src/kafka/schema/codec.ts";
import { readSchema, withoutFields, withWideLongs } from "../../../../src/kafka/schema/schemas.ts";
import type { RecordJson } from "./command-writers.ts";
import { commandSchema, ISSUED_AT, retype, without, written } from "./command-writers.ts";

const SCHEMA = readSchema("command");

const textOf = (schema: unknown): string => (typeof schema === "string" ? schema : JSON.stringify(schema));

/** A decoder whose registry has these schemas, and the ids that the registry was asked for. */
const reading = (schemas: Record<number, unknown>, readType?: Type) => {
  const time = { now: 0 };
  const writer = vi.fn((id: number) => Promise.resolve(id in schemas ? textOf(schemas[id]) : null));
  const deps = { registry: { writer }, clock: { monotonic: () => time.now } };
  return { decode: decoder(SCHEMA, deps, readType && { readType }), writer, time };
};

const decodeOne = async (bytes: Buffer, schema: unknown) => reading({ 7: schema }).decode(bytes);

const accept = (fields: object) => ({ "cambio.bridge.v1.AcceptQuote": fields });
const whole = {
  commandId: "c-1",
  issuedAt: ISSUED_AT,
  expiresAt: null,
  request: accept({ quoteId: "q-1", counterpartyId: "cp-1", amount: "1000.10", externalId: "e-1" }),
};

it("with a narrower read type, reads fewer fields and checks the writer's schema as strictly", async () => {
  const some = withoutFields(SCHEMA, { Command: ["expiresAt"], AcceptQuote: ["counterpartyId", "amount"] });
  const bytes = encoder(SCHEMA, 7)(whole);
  const decodeWith = (schema: RecordJson) => reading({ 7: schema }, some.type).decode;
  const { commandId, issuedAt } = whole;
  const request = accept({ quoteId: "q-1", externalId: "e-1" });
  expect(await decodeWith(commandSchema())(bytes)).toEqual({
    ok: true,
    value: { commandId, issuedAt, request },
  });
  const cut = await decodeWith(commandSchema())(bytes.subarray(0, -1));
  expect(cut).toMatchObject({ ok: false, detail: "not the Avro of its schema: it is cut off" });
  const other = commandSchema((_, acceptQuote) => retype(acceptQuote, "amount", ["null", "double"]));
  expect(await decodeWith(other)(bytes)).toMatchObject({ ok: false });
});

it("with wide longs, reads every long of Avro, and any other value as before", async () => {
  const { decode } = reading({ 7: commandSchema() }, withWideLongs(SCHEMA));
  const bytes = encoder(SCHEMA, 7)({ ...whole, issuedAt: 0 });
  const at = bytes.indexOf("c-1") + "c-1".length;
  const issuedAtIn = (hex: string): unknown =>
    decode(Buffer.concat([bytes.subarray(0, at), Buffer.from(hex, "hex"), bytes.subarray(at + 1)]));
  expect(await issuedAtIn("80808080808080808001")).toEqual({
    ok: true,
    value: { ...whole, issuedAt: 2 ** 62 },
  });
  expect(await issuedAtIn("ffffffffffffffffff01")).toEqual({
    ok: true,
    value: { ...whole, issuedAt: -(2 ** 63) },
  });
  const dated = { ...whole, expiresAt: ISSUED_AT + 1 };
  expect(await decode(encoder(SCHEMA, 7)(dated))).toEqual({ ok: true, value: dated });
  expect(await decode(bytes.subarray(0, at))).toMatchObject({ ok: false });
});

it("encodes values larger than its buffer", async () => {
  const large = { ...whole, commandId: "x".repeat(1_000_000) };
  expect(await decodeOne(encoder(SCHEMA, 7)(large), commandSchema())).toEqual({ ok: true, value: large });
});

it("reads an older schema: missing fields get their defaults", async () => {
  const older = commandSchema((command, acceptQuote) => {
    without(command, "expiresAt");
    without(acceptQuote, "externalId");
    // As Java's code generator writes it.
    retype(acceptQuote, "quoteId", { type: "string", "avro.java.string": "String" });
    without(acceptQuote, "amount");
    acceptQuote.fields.push({ name: "amount", type: "string" });
  });
  const request = accept({ quoteId: "q-1", counterpartyId: "cp-1", amount: "1000.10", externalId: null });
  expect(await decodeOne(written(7, older), older)).toEqual({ ok: true, value: { ...whole, request } });
});

it("reads a newer schema with more optional fields, in another order", async () => {
  const newer = commandSchema((command, acceptQuote) => {
    command.fields.unshift({ name: "origin", type: ["null", "string"], default: null });
    acceptQuote.fields.push({ name: "priority", type: "int", default: 0 });
    acceptQuote.fields.reverse();
  });
  const bytes = written(7, newer, { command: { origin: "desk" }, accept: { priority: 3 } });
  expect(await decodeOne(bytes, newer)).toEqual({ ok: true, value: whole });
});

type Change = NonNullable<Parameters<typeof commandSchema>[0]>;
const retyped =
  (name: string, type: unknown): Change =>
  (_, accept) =>
    retype(accept, name, type);
const issuedAt =
  (type: unknown): Change =>
  (command) =>
    retype(command, "issuedAt", type);
const MICROS = { type: "long", logicalType: "timestamp-micros" };
const foreign: [name: string, change: Change, detail: string][] = [
  ["an amount that is a double", retyped("amount", ["null", "double"]), "amount may be double"],
  ["bytes in place of a text", retyped("quoteId", "bytes"), "quoteId may be bytes"],
  ["an int in place of a long", issuedAt("int"), "issuedAt may be int"],
  ["microseconds in place of milliseconds", issuedAt(MICROS), "issuedAt is timestamp-micros"],
  ["no counterparty", (_, accept) => without(accept, "counterpartyId"), "lacks counterpartyId"],
  ["a counterparty that may be null", retyped("counterpartyId", ["null", "string"]), "Id may be null"],
  [
    "a misspelt amount",
    (_, accept) => {
      without(accept, "amount");
      accept.fields.push({ name: "ammount", type: ["null", "string"], default: null });
    },
    "lacks amount but has ammount",
  ],
  [
    "a new field that is not optional",
    (_, accept) => accept.fields.push({ name: "limit", type: "string" }),
    "unknown field limit",
  ],
  [
    "one more kind of request",
    (command) => {
      const request = command.fields.find(({ name }) => name === "request")?.type as RecordJson[];
      request.push({ type: "record", name: "CancelQuote", fields: [{ name: "quoteId", type: "string" }] });
    },
    "request may be record cambio.bridge.v1.CancelQuote",
  ],
  ["another namespace", (command) => (command.namespace = "cambio.bridge.v2"), "cambio.bridge.v2.Command"],
];

it.each(foreign)("does not guess: %s", async (_, change, detail) => {
  const decoded = await decodeOne(written(7, commandSchema()), commandSchema(change));
  expect(decoded).toMatchObject({ ok: false, detail: expect.stringContaining(detail) as string });
});

it("takes a long without a logical type for the milliseconds that the field is documented to hold", async () => {
  const plain = commandSchema((command) => retype(command, "issuedAt", "long"));
  expect(await decodeOne(written(7, plain), plain)).toEqual({ ok: true, value: whole });
});

it.each([
  ["protobuf", "syntax = 'proto3';"],
  ["broken Avro", { type: "record", name: "Command" }],
  ["a primitive", '"string"'],
  [
    "one that refers to others",
    commandSchema((command) => retype(command, "request", ["cambio.bridge.v1.CreateQuote"])),
  ],
])("refuses a writer's schema that is %s, and asks for it once", async (_, schema) => {
  const { decode, writer } = reading({ 7: schema });
  const bytes = written(7, commandSchema());
  expect(await decode(bytes)).toMatchObject({ ok: false });
  expect(decode(bytes)).toMatchObject({ ok: false });
  expect(writer).toHaveBeenCalledOnce();
});

const valid = written(7, commandSchema());
const other = Buffer.concat([valid.subarray(0, 16), Buffer.alloc(20, 0x7e)]);
const withinFirst = 5 + "c-1".length;
const first = { name: "commandId", text: "c-1" };
it.each([
  ["is empty", Buffer.alloc(0), "neither", undefined],
  ["is shorter than a head", valid.subarray(0, 4), "neither", undefined],
  ["begins with another byte", Buffer.concat([Buffer.from([1]), valid.subarray(1)]), "neither", undefined],
  ["is a head alone", valid.subarray(0, 5), "cut off", undefined],
  ["is cut off within its first field", valid.subarray(0, withinFirst), "cut off", undefined],
  ["is cut off behind its first field", valid.subarray(0, -3), "cut off", first],
  ["goes on", Buffer.concat([valid, Buffer.from([0])]), "bytes follow", first],
  ["names no branch", other, "", first],
])("refuses a value that %s, and keeps its first field if that is whole", async (_, bytes, detail, kept) => {
  const decoded = await decodeOne(bytes, commandSchema());
  expect(decoded).toEqual({ ok: false, detail: expect.stringContaining(detail) as string, first: kept });
});

it.each<[string, Change, object, unknown]>([
  [
    "by the writer's order of fields",
    (command) => command.fields.unshift({ name: "origin", type: "string", default: "" }),
    { origin: "desk" },
    { name: "origin", text: "desk" },
  ],
  ["and not if it is no text", (command) => command.fields.reverse(), {}, undefined],
  ["and not if it is a text of 16 KiB", () => undefined, { commandId: "x".repeat(16_384) }, undefined],
])("of a damaged value, keeps the first field: %s", async (_, change, values, kept) => {
  const schema = commandSchema(change);
  const damaged = written(7, schema, { command: { ...values } }).subarray(0, -3);
  const detail = expect.stringContaining("cut off") as string;
  expect(await decodeOne(damaged, schema)).toEqual({ ok: false, detail, first: kept });
});

it("asks for an unknown id again after a while: it may have been registered", async () => {
  const schemas: Record<number, unknown> = {};
  const { decode, writer, time } = reading(schemas);
  expect(await decode(valid)).toEqual({ ok: false, detail: "the registry knows no schema 7" });
  schemas[7] = commandSchema();
  time.now = 29_999;
  expect(decode(valid)).toMatchObject({ ok: false });
  expect(writer).toHaveBeenCalledOnce();
  time.now = 30_000;
  expect(await decode(valid)).toMatchObject({ ok: true });
});

it("does not ask for an id that no registry gives out", () => {
  const { decode, writer } = reading({});
  expect(decode(Buffer.from([0, 0xff, 0xff, 0xff, 0xff, 1]))).toMatchObject({ ok: false });
  expect(writer).not.toHaveBeenCalled();
});

it("lets a caller come again later instead of waiting, whatever the registry answers", async () => {
  const { decode, writer } = reading({ 7: commandSchema() });
  writer.mockRejectedValueOnce(new Error("the registry is down"));
  const unhandled: unknown[] = [];
  const note = (error: unknown): void => void unhandled.push(error);
  process.prependListener("unhandledRejection", note);
  onTestFinished(() => void process.off("unhandledRejection", note));
  const asked = decode(valid);
  await new Promise((resolve) => setTimeout(resolve, 1));
  await expect(asked).rejects.toThrow("the registry is down");
  expect(unhandled).toEqual([]);
  expect(await decode(valid)).toMatchObject({ ok: true });
});
