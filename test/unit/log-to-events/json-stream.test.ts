import { describe, expect, test } from "vitest";
import { readJson, type JsonSink } from "../../../src/log-to-events/json-stream.ts";
import { bytesOf, everySplit } from "./answers.ts";

type Told = [what: string, at: number | null, value?: unknown];

const tell = async (chunks: (string | Uint8Array)[], maxTokenBytes = 1_000) => {
  const told: Told[] = [];
  let bytes = 0;
  const sink: JsonSink = {
    bytes: (piece, at) => {
      expect(at).toBe(bytes);
      bytes += piece.length;
    },
    name: (text) => told.push(["name", null, text]),
    open: (isArray, at) => told.push([isArray ? "[" : "{", at]),
    close: (at) => told.push(["end", at]),
    scalar: (value, at) => told.push(["scalar", at, value]),
    comma: (at) => told.push([",", at]),
  };
  return { fault: await readJson(bytesOf(...chunks), maxTokenBytes, sink), told };
};

describe("offsets are those of the bytes", () => {
  const strings = [
    '"a"',
    '"é"',
    '"漢字"',
    '"😀"',
    '"\\ud83d\\ude00"',
    '"\\ud83d"',
    '"\\udc00x"',
    '"\\n\\"\\\\\\/"',
    '"\\u00e9é\\u0041"',
    '""',
  ];
  const scalars = [...strings, "0", "-1.5e+10", "true", "false", "null", "12345678901234567890"];

  test.each(scalars)("after %s, with and without a byte order mark", async (scalar) => {
    for (const mark of ["", "\uFEFF"]) {
      const text = `${mark} [ ${scalar} , 7]`;
      const { fault, told } = await tell([text]);
      expect(fault).toBeNull();
      const before = Buffer.byteLength(`${mark} [ `);
      const after = before + Buffer.byteLength(scalar) + 1;
      expect(told.map(([what, at]) => [what, at])).toEqual([
        ["[", before - 2],
        ["scalar", before],
        [",", after],
        ["scalar", after + 2],
        ["end", after + 3],
      ]);
    }
  });

  test("wherever the stream is broken into chunks", async () => {
    const text = `\uFEFF{"é😀\\u00e9":[${scalars.join(",")}],"b":{"c":[]}}`;
    const whole = await tell([text]);
    expect(whole.fault).toBeNull();
    for (const chunks of everySplit(text)) expect(await tell(chunks)).toEqual(whole);
    expect(await tell([...Buffer.from(text)].map((byte) => Uint8Array.of(byte)))).toEqual(whole);
  });
});

describe("what is no JSON, or not all of it, is invalid", () => {
  test.each([
    "{",
    "[",
    '{"a"',
    '{"a":',
    '{"a":1',
    "[1",
    "[1,",
    "[1,]",
    "[,1]",
    '{"a":1,}',
    "{,}",
    "[1 2]",
    '{"a" 1}',
    '{"a":1 "b":2}',
    "{1:2}",
    "[}",
    "{]",
    "[1}",
    '{"a":1]',
    "]",
    "}",
    ",",
    ":",
    "1 2",
    "{} {}",
    "[][]",
    "null,",
    '"a":1',
    "[1:2]",
    '{"a":1:2}',
    '{"a",1}',
    "tru",
    "nul",
    "nan",
    "NaN",
    "Infinity",
    "01",
    "1.",
    "-",
    "+1",
    ".5",
    "1e",
    "0x1",
    "'a'",
    "[undefined]",
    "// a\n[]",
    '"a',
    '"\\x"',
    '"\\u12',
    '"\\u12g4"',
    '"a\nb"',
    "<html></html>",
    "OK",
    "eventType;createdAt",
    "{a:1}",
    '{"a":[}',
    "\uFEFF\uFEFF[]",
  ])("%j", async (text) => {
    expect((await tell([text])).fault).toBe("invalid");
  });

  test.each([
    [[0x22, 0xff, 0x22]],
    [[0x22, 0xc3, 0x22]],
    [[0x22, 0xed, 0xa0, 0x80, 0x22]],
    [[0xef, 0xbb]],
    [[0xef, 0x5b, 0x5d]],
    [[0x5b, 0xc3, 0xa9, 0x5d]],
    [[0x22, 0xf0, 0x9f]],
  ])("bytes %j", async (bytes) => {
    expect((await tell([Uint8Array.from(bytes)])).fault).toBe("invalid");
    expect((await tell(bytes.map((byte) => Uint8Array.of(byte)))).fault).toBe("invalid");
  });
});

test.each(["", " \n\t ", "\uFEFF", "\uFEFF  "])("%j is empty", async (text) => {
  expect((await tell([text])).fault).toBe("empty");
});

test.each(["null", "1", '"a"', "{}", " [] ", "-0", "12"])("%s is a whole text", async (text) => {
  expect((await tell([text])).fault).toBeNull();
});

test("nesting is bounded", async () => {
  expect((await tell(["[".repeat(128), "]".repeat(128)])).fault).toBeNull();
  expect((await tell(["[".repeat(129)])).fault).toBe("too deep");
});

test.each(['["', '{"', '["\\u0041', "[1", "[1 "])("nothing goes on for ever: %s", async (head) => {
  let chunks = 0;
  let isClosed = false;
  const endless = async function* () {
    try {
      yield Buffer.from(head);
      for (;;) {
        chunks++;
        yield await Promise.resolve(Buffer.alloc(65_536, head.at(-1) === '"' ? "x" : head.at(-1)));
      }
    } finally {
      isClosed = true;
    }
  };
  const sink = { bytes() {}, name() {}, open() {}, close() {}, scalar() {}, comma() {} };
  expect(await readJson(endless(), 1_048_576, sink)).toBe("endless");
  expect(chunks).toBeLessThan(20);
  expect(isClosed).toBe(true);
});

test("what the stream or the sink throws is thrown as it is", async () => {
  const error = new TypeError("mine");
  const breaking = async function* () {
    yield await Promise.resolve(Buffer.from("[1,"));
    throw error;
  };
  const sink = { bytes() {}, name() {}, open() {}, close() {}, scalar() {}, comma() {} };
  await expect(readJson(breaking(), 100, sink)).rejects.toBe(error);
  const throwing = {
    ...sink,
    scalar: () => {
      throw error;
    },
  };
  await expect(readJson(bytesOf("[1,2]"), 100, throwing)).rejects.toBe(error);
});

test("other work has its turn while one large chunk is read", async () => {
  let turns = 0;
  const timer = setInterval(() => turns++, 0);
  await tell([JSON.stringify(Array.from({ length: 50_000 }, (_, index) => index))]);
  clearInterval(timer);
  expect(turns).toBeGreaterThan(3);
});
