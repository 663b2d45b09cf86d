import { expect, test } from "vitest";
import { splitAnswer, type SplitOptions } from "../../../src/log-to-events/split-answer.ts";
import { bytesOf } from "./answers.ts";

/** The entries, `!` for one without a text. */
const split = async (chunks: (string | Uint8Array)[], options: Partial<SplitOptions> = {}) => {
  const texts: string[] = [];
  const { entries, ...summary } = await splitAnswer(
    bytesOf(...chunks),
    { maxEntryBytes: 100, ...options },
    ({ text }) => texts.push(text ?? "!"),
  );
  expect(entries).toBe(texts.length);
  return { ...summary, entries: texts };
};

const cases: [body: string, pointer: string | undefined, entries: string[]][] = [
  ["[]", undefined, []],
  [' [ 1 , {"a" : [1, 2]},"x" ] ', undefined, ["1", '{"a" : [1, 2]}', '"x"']],
  ['\uFEFF[{"é":"ção"}]', undefined, ['{"é":"ção"}']],
  ['[{"a":"]}\\"],{"},"\\\\",{"[":"{"}]', undefined, ['{"a":"]}\\"],{"}', '"\\\\"', '{"[":"{"}']],
  ['{"a":{"b":{"c":[{}]}},"d":[2]}', undefined, ["{}"]],
  ['{"a":[1],"b":{"a":[2]}}', "/b/a", ["2"]],
  ['{"p":[{"e":[1]},{"e":[2,3]}]}', "/p/1/e", ["2", "3"]],
  ["[[1],[2]]", "/1", ["2"]],
  ['{"a/b":{"~":[1]},"x":[9]}', "/a~1b/~0", ["1"]],
  ['{"\\u0061":[1]}', "/a", ["1"]],
  ["[1]", "", ["1"]],
  // What is wrong in an element costs that element.
  ['[{"a":1},,{oops},{"b":2}]', undefined, ['{"a":1}', "", "{oops}", '{"b":2}']],
  [`[1,"${"x".repeat(99)}",2]`, undefined, ["1", "!", "2"]],
];

test.each(cases)("%s at %j, however it arrives", async (body, logEntriesPointer, entries) => {
  const bytes = Buffer.from(body);
  const whole = await split([bytes], { logEntriesPointer });
  expect(whole).toMatchObject({ entries, hasArray: true, fault: null });
  for (let at = 0; at <= bytes.length; at++)
    expect(await split([bytes.subarray(0, at), bytes.subarray(at)], { logEntriesPointer })).toEqual(whole);
});

test("the frame is the answer with the numbers of elements in place of arrays, 0 for the entries", async () => {
  const { frame } = await split(['{"data":[{"a":1},2],"next":"a[b","page":{"of":[3,[4],"x"],"list":[]}}']);
  expect(frame).toEqual({ data: 0, next: "a[b", page: { of: 3, list: 0 } });
});

test("four objects deep, and in an array of anything but objects, are no entries", async () => {
  expect(await split(['{"a":{"b":{"c":{"d":[{}]}}},"e":[1]}'])).toMatchObject({ hasArray: false });
});

test("bytes that are no UTF-8 cost their element", async () => {
  const latin1 = Buffer.from('[{"a":1},{"status":"CONCLUÍDA"},{"b":2}]', "latin1");
  expect(await split([latin1])).toMatchObject({ entries: ['{"a":1}', "!", '{"b":2}'], fault: null });
});

test.each([undefined, "/b"])(
  "with takesAll and the pointer %j it gives every element that may be an entry",
  async (pointer) => {
    const options = { takesAll: true, logEntriesPointer: pointer };
    const { entries, arrays } = await split(['{"a":[1,{}],"b":[{"c":2}],"d":["x"]}'], options);
    expect(entries).toEqual(pointer ? ['{"c":2}'] : ["1", "{}", '{"c":2}', '"x"']);
    expect(arrays).toBe(pointer ? 1 : 2);
  },
);

test("wherever an answer is cut, what came before is given, and the cut is said", async () => {
  const body = '{"data":[{"a":"]"},{"b":[2]}],"next":null}';
  for (let at = 0; at < body.length; at++) {
    const { entries, fault } = await split([body.slice(0, at)]);
    expect(fault, body.slice(0, at)).toBe("breaks off, or is not JSON");
    for (const entry of entries) expect(['{"a":"]"}', '{"b":[2]}']).toContain(entry);
  }
});

test.each(["", "<html>", "{}[]", "{}[", "{[}", '{"a":[1]', "[1]x", '{"a" [1]}', "[1}", '"'])(
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
  await splitAnswer(endless(), { maxEntryBytes: 1_000_000 }, ({ text }) => taken.push(text));
  expect(taken).toEqual([null, "1"]);
  expect(most).toBeLessThan(120_000_000);
});
