import { readFileSync } from "node:fs";
import avro from "avsc";
import { describe, expect, test } from "vitest";
import { checkFor } from "../../../src/commands-to-results/check.ts";
import { readCommand, type DecodeCommand } from "../../../src/commands-to-results/read-command.ts";
import { decoder, encoder } from "../../../src/kafka/schema/codec.ts";
import { readSchema, withWideLongs } from "../../../src/kafka/schema/schemas.ts";
import type { Command } from "../../../src/records.ts";

const schema = JSON.parse(
  readFileSync(new URL("../../../schemas/command.avsc", import.meta.url), "utf8"),
) as avro.Schema;
const type = avro.Type.forSchema(schema);

const read = readCommand({
  check: checkFor({ purposes: [], currencies: [] }),
  decode: (value) => ({ ok: true, value: type.fromBuffer(value) as Command }),
});

type Over = { commandId?: string; externalId?: string };
const command = (over: Over): object => ({
  commandId: over.commandId ?? "c-1",
  issuedAt: 1,
  expiresAt: null,
  request: {
    "cambio.bridge.v1.AcceptQuote": {
      quoteId: "q-1",
      counterpartyId: "cp-1",
      amount: null,
      externalId: over.externalId ?? null,
    },
  },
});
const accept = (over: Over): Buffer => type.toBuffer(command(over));

/** As the bridge reads and writes Avro with its own schema. */
const ownAvro = () => {
  const own = readSchema("command");
  const writer = () => Promise.resolve(null);
  return {
    encode: encoder(own, 7),
    decode: decoder<Command>(
      own,
      { registry: { writer }, clock: { monotonic: () => 0 } },
      { ownId: 7, readType: withWideLongs(own) },
    ),
  };
};

/** Puts bytes that are not UTF-8 where a text of the same length stands. */
const broken = (value: Buffer, text: string): Buffer => {
  const at = value.indexOf(text);
  value.fill(0xff, at, at + text.length);
  return value;
};

test("a string that is not UTF-8 makes the record unreadable", async () => {
  expect(await read(accept({ externalId: "XX" }), 0)).toMatchObject({ ok: true });
  expect(await read(broken(accept({ externalId: "XX" }), "XX"), 0)).toMatchObject({
    ok: false,
    code: "UNREADABLE_COMMAND",
    message: "a string is not valid UTF-8",
    identity: { commandId: "c-1" },
  });
});

test("two identifiers that are not UTF-8 do not become one", async () => {
  const mended = await read(broken(accept({ commandId: "c-XX" }), "XX"), 0);
  expect(mended).toMatchObject({ ok: false, code: "UNREADABLE_COMMAND", identity: { commandId: "" } });
});

describe("a damaged value in Avro keeps the commandId that it begins with", () => {
  const { encode, decode } = ownAvro();
  const readOwn = readCommand({ check: checkFor({ purposes: [], currencies: [] }), decode });
  const commandIdOf = async (value: Buffer): Promise<string> => {
    const checked = await readOwn(value, 0);
    expect(checked).toMatchObject({ ok: false, code: "UNREADABLE_COMMAND" });
    return checked.ok ? "" : checked.identity.commandId;
  };
  const cutOff = (commandId: string): Buffer => encode(command({ commandId })).subarray(0, -3);
  const behind = Buffer.byteLength("\0....") + 1 + "c-1".length;

  test.each([
    ["that is cut off", cutOff("c-1")],
    ["that ends behind it", cutOff("c-1").subarray(0, behind)],
    ["that goes on", Buffer.concat([encode(command({})), Buffer.of(0)])],
    ["whose request is of no type", Buffer.concat([cutOff("c-1").subarray(0, behind + 2), Buffer.of(99)])],
  ])("%s", async (_, value) => {
    expect(await commandIdOf(value)).toBe("c-1");
  });

  test.each([
    ["that ends within it", cutOff("c-1").subarray(0, behind - 1)],
    ["whose commandId is empty", cutOff("")],
    ["whose commandId is longer than one may be", cutOff("x".repeat(1_025))],
    ["whose commandId is endless", cutOff("x".repeat(100_000))],
    ["whose commandId is not UTF-8", broken(cutOff("c-XX"), "XX")],
  ])("not one %s", async (_, value) => {
    expect(await commandIdOf(value)).toBe("");
  });

  test("not a field of another name", async () => {
    const first = { name: "traceId", text: "c-1" };
    const other: DecodeCommand = () => ({ ok: false, detail: "the Avro value is cut off", first });
    const check = checkFor({ purposes: [], currencies: [] });
    expect(await readCommand({ check, decode: other })(cutOff("c-1"), 0)).toMatchObject({
      identity: { commandId: "" },
    });
  });
});

test("a value larger than a mebibyte is not parsed, and keeps the commandId that it begins with", async () => {
  const filled = (bytes: number, start: string): Buffer => {
    const value = Buffer.alloc(bytes, " ");
    value.write(start);
    return value;
  };
  const [most, tooLarge] = [1_048_576, 1_048_577];
  const start = '{"commandId":"c-1","request":';
  const message = "the value is larger than 1048576 bytes";
  expect(await read(filled(most, start), 0)).toMatchObject({ message: "the value is not a JSON object" });
  expect(await read(filled(tooLarge, start), 0)).toMatchObject({
    code: "UNREADABLE_COMMAND",
    identity: { commandId: "c-1" },
    message,
  });
  expect(await read(filled(20_000_000, "{"), 0)).toMatchObject({ message, identity: { commandId: "" } });
  expect(await read(filled(tooLarge, "\0"), 0)).toMatchObject({ message, identity: { commandId: "" } });
});

test("a string of megabytes where the commandId should be does not overflow the stack", async () => {
  const long = Buffer.from(`{"commandId":"${"a".repeat(20_000_000)}`);
  expect(await read(long, 0)).toMatchObject({ code: "UNREADABLE_COMMAND", identity: { commandId: "" } });
});

test("a replacement character that was sent as such is a character like any other", async () => {
  expect(await read(accept({ externalId: "a\uFFFDb" }), 0)).toMatchObject({ ok: true });
  const both = broken(accept({ externalId: "a\uFFFDb XX" }), "XX");
  expect(await read(both, 0)).toMatchObject({ ok: false, code: "UNREADABLE_COMMAND" });
});

test("what a decoder says at length, such as a name in a stranger's schema, is cut short", async () => {
  const decode = () => ({ ok: false as const, detail: `it is record ${"x".repeat(1_000_000)}` });
  const verbose = readCommand({ check: checkFor({ purposes: [], currencies: [] }), decode });
  const checked = await verbose(Buffer.from([0, 0, 0, 0, 1]), 0);
  expect(checked).toMatchObject({ ok: false, code: "UNREADABLE_COMMAND" });
  expect(checked.ok ? "" : checked.message).toMatch(/^it is record x{900,1000}$/);
});
