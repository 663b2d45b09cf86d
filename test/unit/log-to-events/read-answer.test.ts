import { expect, test } from "vitest";
import { SeveralArrays } from "../../../src/log-to-events/split-answer.ts";
import { change, read } from "./answers.ts";

const ours = [change, { ...change, status: "CANCELED" }];
/** The settings for members beside the entries that mean nothing. */
const NO_MEANING = { logMorePointers: [], logTotalPointers: [] };
const COMPLETE = {
  entries: 2,
  otherType: 0,
  unreadable: 0,
  reasons: [],
  mayShowMore: false,
  isUnderstood: true,
};

test.each<[string, unknown]>([
  ["the root", ours],
  ["an array in an object", { data: ours }],
  ["three objects deep", { a: { b: { c: ours } } }],
  ["beside empty arrays", { errors: [], codes: [], data: ours }],
])("entries are found: %s", async (_, value) => {
  const { taken, ...answer } = await read(JSON.stringify(value));
  expect(answer).toEqual(COMPLETE);
  expect(taken.map(({ status }) => status)).toEqual(["REFUNDED", "CANCELED"]);
});

test("of several arrays of objects none is believed, unless the pointer says which", async () => {
  const body = JSON.stringify({ sent: ours, failed: [{ ...change, transactionId: "tx-2" }] });
  await expect(read(body)).rejects.toThrow(SeveralArrays);
  expect(await read(body, { ...NO_MEANING, logEntriesPointer: "/sent" })).toMatchObject(COMPLETE);
  expect(await read(body, { ...NO_MEANING, logEntriesPointer: "/other" })).toMatchObject({
    isUnderstood: false,
    reasons: ["the answer has no array where PARTNER_LOG_ENTRIES_POINTER points to"],
  });
});

test.each([
  ["{}", "the answer holds no array of entries"],
  ["", "the answer breaks off, or is not JSON"],
  ["a;b\n1;2", "the answer breaks off, or is not JSON"],
])("%j is not understood: %s", async (body, reason) => {
  expect(await read(body)).toMatchObject({ entries: 0, isUnderstood: false, reasons: [reason] });
});

// An empty array may stand beside entries of another form.
test.each([
  { codes: [1, 2] },
  { errors: [], logs: { a: change } },
  { log: change, errors: [] },
  { logs: [JSON.stringify(change), null] },
])("%j holds no entries", async (value) => {
  const { isUnderstood, reasons } = await read(JSON.stringify(value), NO_MEANING);
  const expected = { isUnderstood: false, reasons: ["the answer holds no array of entries"] };
  expect({ isUnderstood, reasons }).toEqual(expected);
});

test.each(["null", "xx", "", "[{}]", '"{"'])(
  "an element %s before the first object costs itself, not those behind it",
  async (element) => {
    const { taken, ...answer } = await read(
      `{"codes":[7],"logs":[${element},${element},${JSON.stringify(change)}]}`,
      NO_MEANING,
    );
    expect(taken).toEqual([expect.objectContaining({ transactionId: change.transactionId })]);
    const reasons = ["some entries are not understood: no JSON object"];
    expect(answer).toEqual({ ...COMPLETE, entries: 3, unreadable: 2, reasons });
  },
);

test("an array whose first object comes late is one of several arrays as well", async () => {
  await expect(read(JSON.stringify({ sent: ours, failed: [null, change] }))).rejects.toThrow(SeveralArrays);
});

test.each([
  '{"success":false,"data":[]}',
  '{"data":[],"error":"timeout"}',
  '{"data":[],"errors":["timeout"]}',
  '{"data":[],"error":{"code":0,"details":["timeout"]}}',
  '{"data":[],"error":{"code":-1,"message":""}}',
])("%s is no empty log: it says that it failed", async (body) => {
  expect(await read(body)).toMatchObject({
    isUnderstood: false,
    mayShowMore: true,
    reasons: ["the answer says that it failed"],
  });
});

test("an answer may say that it failed in the partner's own words", async () => {
  const body = JSON.stringify({ data: [], meta: { status: "ERROR" } });
  expect(await read(body, NO_MEANING)).toMatchObject({ isUnderstood: true, reasons: [] });
  const failedWhen = [{ pointer: "/meta/status", value: "error" }];
  expect(await read(body, { failedWhen })).toMatchObject({
    isUnderstood: false,
    reasons: ["the answer says that it failed"],
  });
});

test.each([
  { error: { code: 0, message: "" }, data: ours },
  { error: { code: null, details: {} }, data: ours },
])("an error without a code and a text is none: %j", async (value) => {
  expect(await read(JSON.stringify(value))).toMatchObject(COMPLETE);
  expect(await read(JSON.stringify({ ...value, data: [] }))).toMatchObject({ ...COMPLETE, entries: 0 });
});

test("206 says that there is more", async () => {
  expect(await read("[]", {}, { httpStatus: 206 })).toMatchObject({ entries: 0, mayShowMore: true });
});

test("an empty array and 204 are complete", async () => {
  for (const body of ["[]", '{"data":[],"total":0,"page":{"next":null,"more":"false"}}'])
    expect(await read(body)).toMatchObject({ ...COMPLETE, entries: 0 });
  expect(await read("", {}, { httpStatus: 204 })).toMatchObject({ ...COMPLETE, entries: 0 });
});

test("what is not understood, and other events, are counted and said; the others are taken", async () => {
  const more = [
    { what: "ever" },
    { transactionId: "tx-1", status: "DELIVERED" },
    { eventType: "ping" },
    "x".repeat(999),
  ];
  const { taken, ...answer } = await read(JSON.stringify([...ours, ...more]), { maxEntryBytes: 500 });
  expect(taken).toHaveLength(2);
  expect(answer).toMatchObject({
    entries: 6,
    otherType: 1,
    unreadable: 3,
    isUnderstood: true,
    mayShowMore: false,
  });
  expect(answer.reasons).toEqual([
    "some entries are not understood: no notification in it",
    "some entries are not understood: an unknown status in the entry itself, which may be that of a delivery",
    "some entries are not understood: larger than an entry may be",
  ]);
});

test("nothing but other events, or nothing that is understood, is said", async () => {
  expect(await read('[{"eventType":"ping"}]')).toMatchObject({
    isUnderstood: true,
    reasons: ["all entries say another event type"],
  });
  expect(await read('[{"a":1}]')).toMatchObject({ isUnderstood: false, unreadable: 1 });
});

test("without settings any member beside the entries that says something may say that there are more", async () => {
  const said = async (value: unknown, form: Parameters<typeof read>[1] = {}): Promise<string[]> => {
    const { reasons, mayShowMore, isUnderstood } = await read(JSON.stringify(value), form);
    expect({ mayShowMore, isUnderstood }).toEqual({ mayShowMore: true, isUnderstood: true });
    expect(reasons).toHaveLength(1);
    expect(reasons[0]).toMatch(
      /PARTNER_LOG_MORE_POINTERS or PARTNER_LOG_TOTAL_POINTERS, or set both to none$/,
    );
    return /holds (.*), which may/.exec(reasons[0] ?? "")?.[1]?.split(", ") ?? [];
  };
  expect(await said({ data: { items: ours, temMais: true }, "a/b": { "~": 1 } })).toEqual([
    "/data/temMais",
    "/a~1b/~0",
  ]);
  expect(await said({ data: ours, codes: [1], columns: [["id"]] })).toEqual(["/codes", "/columns"]);
  expect(await said({ data: ours, links: [{ rel: "next" }] }, { logEntriesPointer: "/data" })).toEqual([
    "/links",
  ]);
  expect(await said({ data: [], ["own-secret\u001b[1m"]: 1 })).toEqual(["/***\\u001b[1m"]);
  const many = Object.fromEntries(Array.from({ length: 1_000 }, (_, n) => [`member-${n}`, 1]));
  expect((await said({ data: ours, ...many })).length).toBeLessThan(50);
  expect(
    await said({ data: ours, deep: JSON.parse('{"x":'.repeat(30) + "1" + "}".repeat(30)) as unknown }),
  ).toHaveLength(1);
});

const MORE = ["the answer says that there are more entries than it holds"];

test.each<[head: unknown, more: string, total: string, isMore: boolean]>([
  [{ next: "/logs?page=2" }, "/next", "", true],
  [{ next: null, page: 7 }, "/next", "", false],
  [{ page: 7 }, "/next", "", false],
  [{ links: { next: { href: "/x" } } }, "/links/next", "", true],
  [{ links: { next: { href: null } } }, "/links/next", "", false],
  [{ links: ["next"] }, "/links/0", "", true],
  [{ links: [] }, "/links/0", "", false],
  [{ total: 2 }, "", "/total", false],
  [{ total: "2" }, "", "/total", false],
  [{ total: 3 }, "", "/total", true],
  [{ total: "many" }, "", "/total", true],
  [{ total: 3, more: false }, "/more", "/total", true],
  [{ total: 3, more: false }, "/more", "", false],
])(
  "%j with PARTNER_LOG_MORE_POINTERS=%s and PARTNER_LOG_TOTAL_POINTERS=%s: %j",
  async (head, more, total, isMore) => {
    const pointers = (list: string): string[] => (list === "" ? [] : [list]);
    const form = { logMorePointers: pointers(more), logTotalPointers: pointers(total) };
    const { reasons } = await read(JSON.stringify({ data: ours, ...(head as object) }), form);
    expect(reasons).toEqual(isMore ? MORE : []);
  },
);

test.each([
  ['</x>; rel="next"', true],
  [['</x>; rel="prev"', "</x>; rel=next"], true],
  ['</x>; rel="last"', false],
  [undefined, false],
])("a Link header %j: %s", async (link, isMore) => {
  expect((await read("[]", NO_MEANING, { headers: { link } })).reasons).toEqual(isMore ? MORE : []);
});
