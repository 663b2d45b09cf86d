import { expect, test } from "vitest";
import { frameSaysMore, linksToMore, SeveralArrays } from "../../../src/log-to-events/read-answer.ts";
import { change, read } from "./answers.ts";

const ours = [change, { ...change, status: "CANCELED" }];
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
  [
    "beside arrays of no objects, and empty ones",
    { errors: [], codes: [1, "x"], columns: [["id"]], data: ours },
  ],
])("entries are found: %s", async (_, value) => {
  const { taken, ...answer } = await read(JSON.stringify(value));
  expect(answer).toEqual(COMPLETE);
  expect(taken.map(({ status }) => status)).toEqual(["REFUNDED", "CANCELED"]);
});

test("of several arrays of objects none is believed, unless the pointer says which", async () => {
  const body = JSON.stringify({ sent: ours, failed: [{ ...change, transactionId: "tx-2" }] });
  await expect(read(body)).rejects.toThrow(SeveralArrays);
  expect(await read(body, { entriesPointer: "/sent" })).toMatchObject(COMPLETE);
  expect(await read(body, { entriesPointer: "/other" })).toMatchObject({
    isUnderstood: false,
    reasons: ["the answer has no array where PARTNER_LOG_ENTRIES_POINTER points to"],
  });
});

test.each([
  ["{}", "the answer holds no array of entries"],
  ["null", "the answer holds no array of entries"],
  ['{"codes":[1,2]}', "the answer holds no array of entries"],
  // An empty array beside entries of another form.
  [JSON.stringify({ errors: [], logs: { a: change } }), "the answer holds no array of entries"],
  [JSON.stringify({ errors: [], log: { entry: change } }), "the answer holds no array of entries"],
  ["", "the answer breaks off, or is not JSON"],
  ["a;b\n1;2", "the answer breaks off, or is not JSON"],
])("%j is not understood: %s", async (body, reason) => {
  expect(await read(body)).toMatchObject({ entries: 0, isUnderstood: false, reasons: [reason] });
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
  expect(await read(body)).toMatchObject({ isUnderstood: true, reasons: [] });
  const failedWhen = [{ pointer: "/meta/status", value: "error" }];
  expect(await read(body, { failedWhen })).toMatchObject({
    isUnderstood: false,
    reasons: ["the answer says that it failed"],
  });
});

test.each([
  { success: true, error: { code: 0, message: "" }, data: ours },
  { error: { code: null, details: {} }, data: ours },
])("an error without a code and a text is none: %j", async (value) => {
  expect(await read(JSON.stringify(value))).toMatchObject(COMPLETE);
  expect(await read(JSON.stringify({ ...value, data: [] }))).toMatchObject({ ...COMPLETE, entries: 0 });
});

test("206 says that there is more", async () => {
  expect(await read("[]", {}, { httpStatus: 206 })).toMatchObject({ entries: 0, mayShowMore: true });
});

test("an empty array and 204 are complete", async () => {
  for (const body of ["[]", '{"data":[],"total":0}'])
    expect(await read(body)).toMatchObject({ ...COMPLETE, entries: 0 });
  expect(await read("", {}, { httpStatus: 204 })).toMatchObject({ ...COMPLETE, entries: 0 });
});

test("what is not understood, and other events, are counted and said; the others are taken", async () => {
  const more = [
    { what: "ever" },
    { transactionId: "tx-1", status: "DELIVERED" },
    { event: "ping" },
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
  expect(await read('[{"event":"ping"}]')).toMatchObject({
    isUnderstood: true,
    reasons: ["all entries say another event type"],
  });
  expect(await read('[{"a":1}]')).toMatchObject({ isUnderstood: false, unreadable: 1 });
});

test("a cut, a hint of more and a head with one make it ask for days", async () => {
  const cut = await read(`[${JSON.stringify(change)},{"tran`);
  expect(cut).toMatchObject({
    entries: 1,
    mayShowMore: true,
    reasons: ["the answer breaks off, or is not JSON"],
  });
  const reasons = ["the answer says that there are more entries than it holds"];
  expect(await read(JSON.stringify({ dados: ours, totalPaginas: 3 }))).toMatchObject({
    mayShowMore: true,
    reasons,
  });
  expect(await read(JSON.stringify(ours), {}, { headers: { link: "</x>; rel=next" } })).toMatchObject({
    mayShowMore: true,
    reasons,
  });
});

const hint = (frame: unknown) => frameSaysMore(frame, 20);

test.each<Record<string, unknown>>([
  { next: "/logs?page=2" },
  { nextPageToken: "abc" },
  { "@odata.nextLink": "https://x" },
  { links: { next: { href: "/x" } } },
  { meta: { pagination: { cursor: "abc" } } },
  { paginaSeguinte: "/x" },
  { LastEvaluatedKey: { id: "1" } },
  { chavePagina: "x", paginaChave: "x" },
  { continuationToken: "x" },
  { hasMore: true },
  { truncated: true },
  { isTruncated: "true" },
  { parcial: true },
  { existemMais: true },
  { possuiProximaPagina: true },
  { hasNextPage: true },
  { last: false },
  { é_última: false },
  { totalPages: "3" },
  { ultima_pagina: 7 },
  { page: { pageCount: 2 } },
  { total: 21 },
  { totalElements: 21 },
  { quantidadeDeRegistros: 21 },
  { numeroDeRegistros: 21 },
  { "@odata.count": 21 },
  { quantidadeTotal: 21 },
  { qtdTotalRegistros: 21 },
  { numeroTotalDeRegistros: 21 },
  { totalNumberOfRecords: 21 },
  { quantidadeTotalDePaginas: 2 },
])("%j says that there is more", (frame) => {
  expect(hint(frame)).toBe(true);
});

test.each<Record<string, unknown>>([
  { next: null, nextPage: "", next_cursor: 0, links: { next: { href: null } } },
  { truncated: false, partial: null },
  { hasMore: false, temMais: "false", last: true, ultimaPagina: true },
  { pages: 1, totalPages: 1, ultima_pagina: 1, page: 1, pagina: 1 },
  { total: 20, count: 20, totalRegistros: "20" },
  { prevCursor: "x", previous: "/x", paginaAnterior: 1, self: "/x" },
  {
    limit: 100,
    size: 1_000,
    number: 3_000,
    numero: 3_000,
    pageSize: 50,
    totalAmount: 5_000,
    totalMs: 900,
    totalSize: 9_000,
  },
  { data: [], texto: "há mais", a: { b: { c: { d: { next: "too deep" } } } } },
])("%j says nothing of more", (frame) => {
  expect(hint(frame)).toBe(false);
});

test("a round number of entries, a list or nothing is no hint", () => {
  for (const frame of [[], null, "x", { data: [] }]) expect(frameSaysMore(frame, 1_000)).toBe(false);
});

test.each([
  ['</x>; rel="next"', true],
  [['</x>; rel="prev"', "</x>; rel=next"], true],
  ['</x>; rel="last"', false],
  [undefined, false],
])("a Link header %j: %s", (link, isMore) => {
  expect(linksToMore(link)).toBe(isMore);
});
