import { describe, expect, test } from "vitest";
import { readAnswer } from "../../../src/log-to-events/read-answer.ts";
import { bytesOf, change, everySplit, OPTIONS, read, taken } from "./answers.ts";

const text = JSON.stringify(change);
const second = { ...change, transactionId: "tx-2" };
const whole = { entries: 1, otherType: 0, unreadable: 0, reasons: [], mayShowMore: false };

describe("one entry, in many forms", () => {
  test.each<[string, unknown]>([
    ["array", [change]],
    ["under any name", { anything: [change] }],
    ["deep in objects", { response: { result: { page: { content: [change] } } } }],
    [
      "beside arrays of other things",
      {
        links: [{ rel: "self" }],
        columns: ["createdAt"],
        errors: [],
        items: [change],
        warnings: [{ code: 1 }],
      },
    ],
    [
      "HAL",
      {
        _embedded: { notifications: [{ payload: change, _links: { self: { href: "/1" } } }] },
        _links: { self: { href: "/" } },
      },
    ],
    [
      "JSON:API",
      {
        data: [
          {
            type: "notification",
            id: "1",
            attributes: { payload: change, createdAt: "2026-11-21T13:00:00Z" },
          },
        ],
        jsonapi: { version: "1.0" },
      },
    ],
    [
      "GraphQL",
      {
        data: {
          webhook: {
            logs: {
              edges: [{ cursor: "c", node: { payload: text } }],
              pageInfo: { hasNextPage: false, endCursor: "c" },
            },
          },
        },
      },
    ],
    [
      "a search",
      { took: 1, hits: { total: { value: 1 }, hits: [{ _id: "1", _source: { payload: change } }] } },
    ],
    ["by days", { "2026-11-20": [], "2026-11-21": [change], "2026-11-22": [] }],
    ["text in text", [JSON.stringify({ body: text })]],
  ])("%s", async (_, answer) => {
    expect(await read(JSON.stringify(answer))).toEqual({ ...whole, taken: [taken] });
    expect(await read(`\uFEFF${JSON.stringify(answer, null, 2)}\n`)).toMatchObject({
      ...whole,
      taken: [change],
    });
  });

  test("the same wherever the stream is broken into chunks", async () => {
    const answer = `{"meta":{"total":3,"é":"😀"},"logs":[{"payload":${JSON.stringify(text)}},\n ${text} , {"event":"QUOTE_EXPIRED","é":"漢"}],"errors":[]}`;
    const expected = await read(answer);
    expect(expected).toEqual({ ...whole, entries: 3, otherType: 1, taken: [taken, taken] });
    for (const chunks of everySplit(answer)) expect(await read(bytesOf(...chunks))).toEqual(expected);
    expect(await read(bytesOf(...[...Buffer.from(answer)].map((byte) => Uint8Array.of(byte))))).toEqual(
      expected,
    );
  });
});

test("attempts of one notification are handed on one by one", async () => {
  const attempts = [1, 2, 3].map((attempt) => ({
    attempt,
    sentAt: `2026-11-21T12:${attempt}0:00Z`,
    payload: change,
  }));
  expect(await read(JSON.stringify(attempts))).toEqual({
    ...whole,
    entries: 3,
    taken: [taken, taken, taken],
  });
});

describe("an empty array is complete", () => {
  test.each(["[]", '{"data":[]}', '{"data":{"items":[]},"total":0}', " [ ] "])("%s", async (answer) => {
    expect(await read(answer)).toEqual({ ...whole, entries: 0, taken: [] });
  });
});

describe("what is not understood is said", () => {
  test.each([
    ["", "the answer is empty"],
    ["  ", "the answer is empty"],
    ["null", "the answer holds no array of entries"],
    ["1", "the answer holds no array of entries"],
    ['"OK"', "the answer holds no array of entries"],
    ["{}", "the answer holds no array of entries"],
    [text, "the answer holds no array of entries"],
    ['{"data":null}', "the answer holds no array of entries"],
    ["<html></html>", "the answer breaks off, or is not JSON"],
    ["OK", "the answer breaks off, or is not JSON"],
    ["eventType;createdAt\n", "the answer breaks off, or is not JSON"],
    ["[1,", "the answer breaks off, or is not JSON"],
    ["[".repeat(1_000), "the answer is nested too deeply"],
  ])("%.30s", async (answer, reason) => {
    const { reasons, taken: none } = await read(answer);
    expect(reasons[0]).toBe(reason);
    expect(none).toEqual([]);
  });

  test("an answer that is cut has shown what came before", async () => {
    const answer = `{"items":[${text},${JSON.stringify(second)}],"total":2}`;
    for (let length = 1; length < answer.length; length++) {
      const cut = await read(answer.slice(0, length));
      expect(cut.reasons[0], answer.slice(0, length)).toBe("the answer breaks off, or is not JSON");
      expect(cut.mayShowMore).toBe(true);
      expect(cut.unreadable).toBe(0);
      expect(cut.taken).toHaveLength(cut.entries);
    }
    expect((await read(answer.slice(0, -11))).taken).toHaveLength(2);
  });

  test("entries that are not understood, beside those that are", async () => {
    expect(await read(JSON.stringify([change, { foo: 1 }, 7, null]))).toEqual({
      ...whole,
      entries: 4,
      unreadable: 3,
      reasons: [
        "some entries are not understood: no notification in it",
        "some entries are not understood: no JSON object",
      ],
      taken: [taken],
    });
  });

  test("in all arrays, when nothing is understood", async () => {
    const columns = {
      columns: ["id", "status"],
      rows: [
        ["tx-1", "A"],
        ["tx-2", "B"],
      ],
    };
    expect(await read(JSON.stringify(columns))).toMatchObject({
      entries: 4,
      unreadable: 4,
      reasons: ["some entries are not understood: no JSON object"],
    });
    const grouped = [{ day: "2026-11-21", notifications: [change] }];
    expect(await read(JSON.stringify(grouped))).toMatchObject({ entries: 1, unreadable: 1, taken: [] });
  });

  test("in another array too, when they name a transaction", async () => {
    const answer = {
      delivered: [change],
      failed: [{ transaction_id: "tx-2", state: "FAILED" }],
      links: [{ rel: "self" }],
    };
    expect(await read(JSON.stringify(answer))).toMatchObject({
      entries: 2,
      unreadable: 1,
      reasons: ["some entries are not understood: no notification in it"],
    });
  });

  test("entries of another type only", async () => {
    const others = [
      { eventType: "QUOTE_EXPIRED", quoteId: "q" },
      { eventType: "QUOTE_EXPIRED", ...change },
    ];
    expect(await read(JSON.stringify(others))).toEqual({
      ...whole,
      entries: 2,
      otherType: 2,
      reasons: ["all entries say another event type"],
      taken: [],
    });
    expect(await read(JSON.stringify([...others, change]))).toEqual({
      ...whole,
      entries: 3,
      otherType: 2,
      taken: [taken],
    });
  });

  test("an entry over the bound, and the next one is read", async () => {
    const large = { ...second, note: "x".repeat(40_000) };
    const tiny = { maxElementBytes: 1_000 };
    const notice = {
      entries: 3,
      unreadable: 1,
      reasons: ["some entries are not understood: larger than an entry may be"],
    };
    const spread = JSON.stringify({ ...second, note: Array.from({ length: 9_000 }, () => "xy") });
    expect(await read(`[${text},${spread},${text}]`, tiny)).toMatchObject({
      ...notice,
      taken: [change, change],
    });
    expect(await read(JSON.stringify([change, large, change]), { maxElementBytes: 39_000 })).toMatchObject(
      notice,
    );
    expect(await read(JSON.stringify([change, large, change]), { maxElementBytes: 41_000 })).toMatchObject({
      reasons: [],
      entries: 3,
    });
    expect(await read(JSON.stringify([change, large, change]), tiny)).toMatchObject({
      entries: 1,
      reasons: ["the answer holds a string or number that is too long"],
    });
  });
});

describe("the array that a pointer names", () => {
  const answer = JSON.stringify({
    log: { "a/b": [{ list: [second] }, { list: [change] }], other: [second] },
    more: [second],
  });
  test.each(["/log/a~1b/1/list"])("%s", async (entriesPointer) => {
    expect(await read(answer, { entriesPointer })).toEqual({ ...whole, taken: [taken] });
  });
  test("at the root", async () => {
    expect(await read(JSON.stringify([change]), { entriesPointer: "" })).toEqual({
      ...whole,
      taken: [taken],
    });
  });
  test.each(["/log", "/nothing", "/log/a~1b/7/list", "/log/a~1b/1/list/0", "/log/list"])(
    "%s is none",
    async (entriesPointer) => {
      expect(await read(answer, { entriesPointer })).toMatchObject({
        entries: 0,
        reasons: ["the answer has no array where PARTNER_LOG_ENTRIES_POINTER points to"],
      });
    },
  );
  test("with one for the notification within", async () => {
    const nested = JSON.stringify({ items: [{ a: second, b: { c: text } }] });
    expect(await read(nested, { entriesPointer: "/items", notificationPointer: "/b/c" })).toEqual({
      ...whole,
      taken: [taken],
    });
  });
});

describe("separated values", () => {
  const type = { "content-type": "text/csv; charset=utf-8" };
  const csv = { headers: { ...type, "transfer-encoding": "chunked" } };
  const head = "eventType;createdAt;status;transactionId";
  const line = `TRANSACTION_STATUS_UPDATED;${change.createdAt};REFUNDED;tx-1`;

  test.each([
    [`${head}\n${line}`],
    [`\uFEFF${head}\r\n${line}\r\n`],
    [`${head}\n${line}\n\n`],
    [`transaction_id,status,created_at\n"tx-1","REFUNDED",${change.createdAt}`],
    [`transactionId\tstatus\tcreatedAt\tnote\ntx-1\tREFUNDED\t${change.createdAt}\t`],
    [`"transactionId";"status";"note";"createdAt"\n"tx-1";"REFUNDED";"a;""b"";c";"${change.createdAt}"`],
  ])("%j", async (answer) => {
    expect(await read(answer, csv)).toMatchObject({ ...whole, taken: [change] });
  });

  test("the same wherever the stream is broken into chunks; the payload is an object of the row", async () => {
    const answer = `${head};é\n${line};😀\nQUOTE_EXPIRED;;;;\n`;
    const expected = await read(answer, csv);
    const payload = { eventType: "TRANSACTION_STATUS_UPDATED", ...change, é: "😀" };
    expect(expected).toEqual({
      ...whole,
      entries: 2,
      otherType: 1,
      taken: [{ ...change, payload: JSON.stringify(payload) }],
    });
    for (const chunks of everySplit(answer)) expect(await read(bytesOf(...chunks), csv)).toEqual(expected);
  });

  test("names alone are a complete answer, nothing at all is none", async () => {
    expect(await read(head, csv)).toEqual({ ...whole, entries: 0, taken: [] });
    expect((await read("\n", csv)).reasons).toEqual(["the answer is empty"]);
  });

  test.each([
    ["tx-1,CANCELED,2026-11-21T12:00:00Z", 0],
    ["tx-1;CANCELED\n", 0],
    ["id;payload", 0],
    [
      `1;"{""transactionId"":""tx-0"",""status"":""A""}"\n2;"{""transactionId"":""tx-1"",""status"":""A""}"`,
      1,
    ],
  ])("a first line that may be a row is not taken for names: %j", async (answer, others) => {
    const { entries, unreadable, reasons, taken: rows } = await read(answer, csv);
    expect(rows).toHaveLength(others);
    expect({ entries, unreadable }).toEqual({ entries: others + 1, unreadable: 1 });
    expect(reasons).toEqual(["some entries are not understood: no JSON object"]);
  });

  test("names without a transactionId are names where a row after them is understood", async () => {
    const answer = `id;payload\n1;"{""transactionId"":""tx-1"",""status"":""A""}"`;
    expect(await read(answer, csv)).toMatchObject({ ...whole, taken: [{ transactionId: "tx-1" }] });
  });

  describe("of an answer that ends as a lost connection does", () => {
    const other = `TRANSACTION_STATUS_UPDATED;${change.createdAt};REFUNDED;tx-2`;
    const reasons = [
      "the answer has neither Content-Length nor chunks: its end cannot be told from a lost connection",
    ];
    const unframed = { ...whole, reasons, mayShowMore: true };

    test.each<Record<string, string>>([
      {},
      { connection: "close" },
      { "content-encoding": "identity" },
      { "transfer-encoding": "chunked, gzip" },
    ])("a last line without an end is no entry, whole rows are: %j", async (more) => {
      const headers = { ...type, ...more };
      for (const end of ["", "\n", `\n${other}`, `\n${other.slice(0, -1)}`, "\nTRANS"]) {
        const isWhole = end !== "";
        expect(await read(`${head}\n${line}${end}`, { headers }), end).toMatchObject({
          ...unframed,
          entries: isWhole ? 1 : 0,
          taken: isWhole ? [change] : [],
        });
      }
    });

    test("whole rows, names alone, half of the names and nothing have the same reason", async () => {
      const rows = `${head}\n${line}\n${other}\n`;
      expect(await read(rows, { headers: type })).toMatchObject({
        ...unframed,
        entries: 2,
        taken: [change, { ...change, transactionId: "tx-2" }],
      });
      for (const text of [`${head}\n`, head, "eventT", ""]) {
        const answer = await readAnswer(bytesOf(text), { ...OPTIONS, headers: type }, () => undefined);
        expect(answer, text).toMatchObject({ ...unframed, entries: 0, isRead: true, isUnderstood: false });
      }
    });

    test.each<Record<string, string>>([
      { "content-length": "100" },
      { "transfer-encoding": "chunked" },
      { "transfer-encoding": "gzip, Chunked" },
      { "content-encoding": "gzip" },
    ])("is not one with %j: its last line needs no end", async (more) => {
      expect(await read(`${head}\n${line}`, { headers: { ...type, ...more } })).toMatchObject({
        ...whole,
        taken: [change],
      });
    });

    test("JSON has an end of its own", async () => {
      expect(await read(JSON.stringify([change]), { headers: {} })).toMatchObject(whole);
    });
  });

  test.each(["a;b;c", `${line};x`, `"TRANSACTION`, `"a"b;c;d;e`])(
    "a row such as %j is not understood",
    async (row) => {
      expect(await read(`${head}\n${line}\n${row}\n`, csv)).toMatchObject({
        entries: 2,
        unreadable: 1,
        taken: [change],
      });
    },
  );

  test("rows under two columns for one field are not understood, other columns may come twice", async () => {
    const twice = `transactionId;status;note;note;status\ntx-1;REFUNDED;a;b;DELIVERED`;
    expect(await read(twice, csv)).toMatchObject({ entries: 1, unreadable: 1, taken: [] });
    const notes = `transactionId;status;note;note\ntx-1;REFUNDED;a;b`;
    expect(await read(notes, csv)).toMatchObject({ unreadable: 0, taken: [{ status: "REFUNDED" }] });
  });

  test("hostile ones end", async () => {
    expect(
      (await read(`${head}\n${";".repeat(100_000)}`, { ...csv, maxElementBytes: 10_000 })).reasons,
    ).toEqual(["the answer holds a string or number that is too long"]);
    expect((await read(bytesOf(head, Uint8Array.of(10, 0xff)), csv)).reasons).toEqual([
      "the answer breaks off, or is not JSON",
    ]);
    expect((await read(bytesOf(head, Uint8Array.of(10, 0xc3)), csv)).reasons).toEqual([
      "the answer breaks off, or is not JSON",
    ]);
    expect((await read("__proto__;constructor\na;b", csv)).unreadable).toBe(1);
    expect((await read("[]", csv)).entries).toBe(1);
  });
});

test("what breaks the stream off is thrown, after what came before it", async () => {
  const broken = async function* () {
    yield await Promise.resolve(Buffer.from(`[${text},`));
    throw new Error("connection reset");
  };
  await expect(read(broken())).rejects.toThrow("connection reset");
});

test("no reason repeats what the answer holds", async () => {
  for (const answer of [
    '{"hunter2":"hunter2"}',
    '["hunter2",{"hunter2":"hunter2"}]',
    '{"next":"hunter2","hunter2":[]}',
    "hunter2",
    '["hunter2',
  ])
    expect((await read(answer)).reasons.join()).not.toContain("hunter");
});

test("millions of empty arrays and of members cost no memory", async () => {
  const many = async function* () {
    yield await Promise.resolve(Buffer.from('{"x":[]'));
    for (let count = 0; count < 30; count++)
      yield await Promise.resolve(Buffer.from(',"x":[],"next":null'.repeat(1_000)));
    yield Buffer.from("}");
  };
  expect(await read(many())).toEqual({ ...whole, entries: 0, taken: [] });
});

describe("what looks like an empty log and is none", () => {
  test.each(['{"data":null,"errors":[]}', '{"entries":{"a":{"status":"A"}},"errors":[],"links":[]}'])(
    "%s",
    async (body) => {
      const { entries, reasons } = await read(body);
      expect({ entries, reasons }).toEqual({ entries: 0, reasons: ["the answer holds no array of entries"] });
    },
  );

  test("a Content-Range tells how many there are", async () => {
    const { reasons } = await read(JSON.stringify([change]), {
      headers: { "content-range": "items 0-0/500" },
    });
    expect(reasons).toEqual(["the answer says that there are more entries than it holds"]);
    const all = await read(JSON.stringify([change]), { headers: { "content-range": "items 0-0/1" } });
    expect(all.reasons).toEqual([]);
  });
});

describe("what would take long", () => {
  // Each took seconds to minutes before it was bounded: the test would time out.
  test("rows with too few fields, under thousands of names", async () => {
    const names = Array.from({ length: 40_000 }, (_, n) => `name${n}`).join(";");
    const body = `${names}\n${"x\n".repeat(8_000)}`;
    const { unreadable } = await read(body, {
      headers: { "content-type": "text/csv", "content-length": `${body.length}` },
    });
    expect(unreadable).toBe(8_000);
  });

  test("a Link header without an end", async () => {
    const link = `<x>${';rel="next next '.repeat(16_000)}`;
    expect((await read(JSON.stringify([change]), { headers: { link } })).entries).toBe(1);
  });
});
