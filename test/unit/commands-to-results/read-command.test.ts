import { describe, expect, test } from "vitest";
import { checkFor } from "../../../src/commands-to-results/check.ts";
import { readCommand, type DecodeCommand } from "../../../src/commands-to-results/read-command.ts";
import { decoder, encoder } from "../../../src/kafka/schema/codec.ts";
import { readSchema, withWideLongs } from "../../../src/kafka/schema/schemas.ts";
import type { Command } from "../../../src/records.ts";

const schema = readSchema("command");
const encode = encoder(schema, 7);
const decode = decoder<Command>(
  schema,
  { registry: { writer: () => Promise.resolve(null) }, clock: { monotonic: () => 0 } },
  { ownId: 7, readType: withWideLongs(schema) },
);
const readWith = (decodeWith: DecodeCommand) =>
  readCommand({ check: checkFor({ purposes: [], currencies: [] }), decode: decodeWith });
const read = readWith(decode);

const accept = ({ commandId = "c-1", externalId = null as string | null } = {}): Buffer => {
  const request = { quoteId: "q-1", counterpartyId: "cp-1", amount: null, externalId };
  const dates = { issuedAt: 1, expiresAt: null };
  return encode({ commandId, ...dates, request: { "cambio.bridge.v1.AcceptQuote": request } });
};

/** Puts bytes that are not UTF-8 where a text of the same length stands. */
const broken = (value: Buffer, text: string): Buffer => {
  const at = value.indexOf(text);
  value.fill(0xff, at, at + text.length);
  return value;
};
/** What a value that cannot be read comes to. */
const unreadable = (commandId: string, message: unknown = expect.any(String)): unknown =>
  expect.objectContaining({
    ...{ ok: false, code: "UNREADABLE_COMMAND", message },
    identity: expect.objectContaining({ commandId }) as unknown,
  });

test("a string that is not UTF-8 makes the record unreadable, and two such identifiers do not become one", async () => {
  expect(await read(accept({ externalId: "XX" }), 0)).toMatchObject({ ok: true });
  const message = "a string is not valid UTF-8";
  expect(await read(broken(accept({ externalId: "XX" }), "XX"), 0)).toEqual(unreadable("c-1", message));
  expect(await read(broken(accept({ commandId: "c-XX" }), "XX"), 0)).toEqual(unreadable("", message));
});

test("a replacement character that was sent as such is a character like any other", async () => {
  expect(await read(accept({ externalId: "a\uFFFDb" }), 0)).toMatchObject({ ok: true });
  expect(await read(broken(accept({ externalId: "a\uFFFDb XX" }), "XX"), 0)).toEqual(unreadable("c-1"));
});

describe("a damaged value in Avro keeps the commandId that it begins with", () => {
  const cutOff = (commandId: string): Buffer => accept({ commandId }).subarray(0, -3);
  const behind = Buffer.byteLength("\0....") + 1 + "c-1".length;

  test.each([
    ["that is cut off", cutOff("c-1")],
    ["that ends behind it", cutOff("c-1").subarray(0, behind)],
    ["that goes on", Buffer.concat([accept(), Buffer.of(0)])],
    ["whose request is of no type", Buffer.concat([cutOff("c-1").subarray(0, behind + 2), Buffer.of(99)])],
  ])("%s", async (_, value) => {
    expect(await read(value, 0)).toEqual(unreadable("c-1"));
  });

  test.each([
    ["that ends within it", cutOff("c-1").subarray(0, behind - 1)],
    ["whose commandId is empty", cutOff("")],
    ["whose commandId is longer than one may be", cutOff("x".repeat(1_025))],
    ["whose commandId is endless", cutOff("x".repeat(100_000))],
    ["whose commandId is not UTF-8", broken(cutOff("c-XX"), "XX")],
  ])("not one %s", async (_, value) => {
    expect(await read(value, 0)).toEqual(unreadable(""));
  });

  test("not a field of another name", async () => {
    const first = { name: "traceId", text: "c-1" };
    const other: DecodeCommand = () => ({ ok: false, detail: "the Avro value is cut off", first });
    expect(await readWith(other)(cutOff("c-1"), 0)).toEqual(unreadable(""));
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
  expect(await read(filled(tooLarge, start), 0)).toEqual(unreadable("c-1", message));
  for (const value of [filled(20_000_000, "{"), filled(tooLarge, "\0")])
    expect(await read(value, 0)).toEqual(unreadable("", message));
});

test("a string of megabytes where the commandId should be does not overflow the stack", async () => {
  const long = Buffer.from(`{"commandId":"${"a".repeat(20_000_000)}`);
  expect(await read(long, 0)).toEqual(unreadable(""));
});

test("what a decoder says at length, such as a name in a stranger's schema, is cut short", async () => {
  const detail = `it is record ${"x".repeat(1_000_000)}`;
  const checked = await readWith(() => ({ ok: false, detail }))(Buffer.from([0, 0, 0, 0, 1]), 0);
  expect(checked).toEqual(unreadable("", expect.stringMatching(/^it is record x{900,1000}$/)));
});
