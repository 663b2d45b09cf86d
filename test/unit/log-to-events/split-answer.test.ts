import { expect, test } from "vitest";
import { splitAnswer, type SplitOptions } from "../../../src/log-to-events/split-answer.ts";
import { bytesOf } from "./answers.ts";

/** The elements of each array that may hold the entries, `!` for one without a text. */
const split = async (chunks: (string | Uint8Array)[], options: Partial<SplitOptions> = {}) => {
  const texts = new Map<object, string[]>();
  const { arrays, frame, fault } = await splitAnswer(
    bytesOf(...chunks),
    { entriesPointer: null, maxEntryBytes: 100, ...options },
    ({ text }, array) => texts.set(array, [...(texts.get(array) ?? []), text ?? "!"]),
  );
  const candidates = arrays.filter(({ isCandidate }) => isCandidate);
  const textsOf = (array: object): string[] => texts.get(array) ?? [];
  expect(candidates.map(({ elements }) => elements)).toEqual(
    candidates.map((array) => textsOf(array).length),
  );
  const others = arrays.filter(({ isCandidate }) => !isCandidate);
  return { arrays: candidates.map(textsOf), others, frame, fault };
};

const cases: [body: string, pointer: string | null, arrays: string[][]][] = [
  ["[]", null, [[]]],
  [' [ 1 , {"a" : [1, 2]},"x" ] ', null, [["1", '{"a" : [1, 2]}', '"x"']]],
  ['\uFEFF[{"é":"ção"}]', null, [['{"é":"ção"}']]],
  ['[{"a":"]}\\"],{"},"\\\\",{"[":"{"}]', null, [['{"a":"]}\\"],{"}', '"\\\\"', '{"[":"{"}']]],
  ['{"a":{"b":{"c":[1]}},"d":[2]}', null, [["1"], ["2"]]],
  ['{"a":{"b":{"c":{"d":[1]}}}}', null, []],
  ['{"a":[1],"b":{"a":[2]}}', "/b/a", [["2"]]],
  ['{"p":[{"e":[1]},{"e":[2,3]}]}', "/p/1/e", [["2", "3"]]],
  ["[[1],[2]]", "/1", [["2"]]],
  ['{"a/b":{"~":[1]},"x":[9]}', "/a~1b/~0", [["1"]]],
  ['{"\\u0061":[1]}', "/a", [["1"]]],
  ["[1]", "", [["1"]]],
  // What is wrong in an element costs that element.
  ['[{"a":1},,{oops},{"b":2}]', null, [['{"a":1}', "", "{oops}", '{"b":2}']]],
  [`[1,"${"x".repeat(99)}",2]`, null, [["1", "!", "2"]]],
];

test.each(cases)("%s at %j, however it arrives", async (body, entriesPointer, arrays) => {
  const bytes = Buffer.from(body);
  const whole = await split([bytes], { entriesPointer });
  expect(whole).toMatchObject({ arrays, fault: null });
  for (let at = 0; at <= bytes.length; at++)
    expect(await split([bytes.subarray(0, at), bytes.subarray(at)], { entriesPointer })).toEqual(whole);
  expect(
    await split(
      [...bytes].map((byte) => Uint8Array.of(byte)),
      { entriesPointer },
    ),
  ).toEqual(whole);
});

test("the frame is the answer without its elements", async () => {
  const { frame } = await split(['{"data":[{"a":1},2],"next":"a[b","page":{"of":3,"list":[]}}']);
  expect(frame).toEqual({ data: [], next: "a[b", page: { of: 3, list: [] } });
});

test("arrays that are not the entries are counted, and their elements are not kept", async () => {
  const { others, arrays } = await split(['{"a":[],"b/c":[1,[2],"x"],"d":{"e":[{}]},"f":[9]}'], {
    entriesPointer: "/f",
  });
  expect(arrays).toEqual([["9"]]);
  expect(others.map(({ path, elements }) => [path, elements])).toEqual([
    [["a"], 0],
    [["b/c"], 3],
    [["d", "e"], 1],
  ]);
});

test("bytes that are no UTF-8 cost their element", async () => {
  const latin1 = Buffer.from('[{"a":1},{"status":"CONCLUÍDA"},{"b":2}]', "latin1");
  expect(await split([latin1])).toMatchObject({ arrays: [['{"a":1}', "!", '{"b":2}']], fault: null });
});

test("wherever an answer is cut, what came before is given, and the cut is said", async () => {
  const body = '{"data":[{"a":"]"},{"b":[2]}],"next":null}';
  for (let at = 0; at < body.length; at++) {
    const { arrays, fault } = await split([body.slice(0, at)]);
    expect(fault, body.slice(0, at)).toBe("breaks off, or is not JSON");
    for (const element of arrays.flat()) expect(['{"a":"]"}', '{"b":[2]}']).toContain(element);
  }
});

test.each(["", "<html>", "[1][2]", '{"a":[1]', "[1]x", '{"a" [1]}', "[1}", '"'])(
  "%j is no JSON",
  async (body) => expect((await split([body])).fault).toBe("breaks off, or is not JSON"),
);

test.each([
  ["objects", '{"a":'.repeat(100_000)],
  ["a text beside the array", `{"a":"${"x".repeat(300_000)}","data":[]}`],
  ["colons", `{"a"${":".repeat(300_000)}`],
])("no more than so much of %s is held", async (_, body) => {
  expect((await split([body])).fault).toBe("is nested too deeply, or holds too much beside its arrays");
});

test("an element without an end is not held", async () => {
  const before = process.memoryUsage().arrayBuffers;
  let most = 0;
  const endless = async function* () {
    yield Buffer.from('["');
    for (let n = 0; n < 1_000; n++) {
      yield await Promise.resolve(Buffer.alloc(200_000, 0x78));
      most = Math.max(most, process.memoryUsage().arrayBuffers - before);
    }
    yield Buffer.from('",1]');
  };
  const taken: (string | null)[] = [];
  const options = { entriesPointer: null, maxEntryBytes: 1_000_000 };
  await splitAnswer(endless(), options, ({ text }) => taken.push(text));
  expect(taken).toEqual([null, "1"]);
  expect(most).toBeLessThan(120_000_000);
});
