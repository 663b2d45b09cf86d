import { describe, expect, test } from "vitest";
import { change, read } from "./answers.ts";

const entries = (count: number): object[] =>
  Array.from({ length: count }, (_, index) => ({ ...change, transactionId: `tx-${index}` }));
const reasons = async (answer: unknown, headers = {}): Promise<string[]> =>
  (await read(JSON.stringify(answer), { headers })).reasons;

const next = ["the answer names a next page"];
const more = ["the answer says that there are more entries than it holds"];
const pages = ["the answer says that there are several pages"];
const full = ["the answer holds as many entries as a full page"];

describe("members at the root, beside the array, or in an object of their own", () => {
  test.each<[object, string[]]>([
    [{ next: "/logs?page=2" }, next],
    [{ next: 2 }, next],
    [{ nextPage: 2 }, next],
    [{ next_page_token: "abc" }, next],
    [{ nextCursor: "abc" }, next],
    [{ continuationToken: "abc" }, next],
    [{ "@odata.nextLink": "http://x" }, next],
    [{ cursor: "abc" }, next],
    [{ links: { self: "/", next: "/2" } }, next],
    [{ _links: { next: { href: "/2" } } }, next],
    [
      {
        links: [
          { rel: "self", href: "/" },
          { rel: "next", href: "/2" },
        ],
      },
      next,
    ],
    [{ paging: { cursors: { after: "abc" } } }, next],
    [{ pageInfo: { hasNextPage: true, endCursor: "abc" } }, next],
    [{ hasMore: true }, more],
    [{ has_more: "true" }, more],
    [{ isTruncated: true }, more],
    [{ last: false }, more],
    [{ total: 4 }, more],
    [{ total: "4" }, more],
    [{ meta: { totalCount: 4 } }, more],
    [{ page: { totalElements: 4, size: 3 } }, more],
    [{ hits: { total: { value: 4, relation: "eq" } } }, more],
    [{ totalPages: 2, page: 1 }, pages],
    [{ limit: 3 }, full],
    [{ pagination: { perPage: 3, page: 1 } }, full],
  ])("%j is a hint", async (hint, expected) => {
    expect(await reasons({ ...hint, entries: entries(3) })).toEqual(expected);
    expect(await reasons({ entries: entries(3), ...hint })).toEqual(expected);
    expect(await reasons({ data: { entries: entries(3), ...hint } })).toEqual(expected);
  });

  test.each<object[]>([
    [{ next: null }],
    [{ next: false }],
    [{ next: "" }],
    [{ next: {} }],
    [{ next: [] }],
    [{ next: { href: null } }],
    [{ nextPage: 0 }],
    [{ hasMore: false, cursor: "abc" }],
    [{ pageInfo: { hasNextPage: false, endCursor: "abc" } }],
    [{ last: true }],
    [{ total: 3 }],
    [{ total: 2 }],
    [{ total: null }],
    [{ total: 3, limit: 3 }],
    [{ limit: 100 }],
    [{ totalPages: 1, page: 1 }],
    [{ links: { first: "/1", last: "/1", prev: null, next: null } }],
    [{ previous: "/1" }],
    [{ totalAmount: 900 }],
    [{ meta: { createdAt: "2026-11-21", requestId: "next" } }],
  ])("%j is none", async (hint) => {
    expect(await reasons({ ...hint, entries: entries(3) })).toEqual([]);
  });

  test("what entries say of themselves is none", async () => {
    expect(
      await reasons(entries(3).map((entry) => ({ ...entry, next: "x", hasMore: true, total: 9 }))),
    ).toEqual([]);
  });

  test("more entries than none", async () => {
    expect(await reasons({ total: 5, entries: [] })).toEqual(more);
    expect(await reasons({ total: 0, limit: 0, entries: [] })).toEqual([]);
  });
});

test.each<[object, string[]]>([
  [{ link: '<http://x?page=2>; rel="next"' }, next],
  [{ link: "<http://x?page=1>; rel=prev, <http://x?page=3>; rel=next" }, next],
  [{ link: ['<http://x>; rel="first"', '<http://x>; title="a"; rel="last next"'] }, next],
  [{ link: '<http://x/next>; rel="last"' }, []],
  [{ link: '<http://x>; rel="nextish"' }, []],
  [{ "x-total-count": "4" }, more],
  [{ "x-total-count": "3" }, []],
  [{ "x-next-page": "2" }, next],
  [{ "x-next-page": "" }, []],
  [{ "x-has-more": "true" }, more],
  [{ "x-ratelimit-limit": "3", "x-request-id": "next" }, []],
])("headers %j", async (headers, expected) => {
  expect(await reasons(entries(3), headers)).toEqual(expected);
});

test.each([100, 200, 250, 500, 1_000, 5_000, 10_000])(
  "exactly %i entries look like a page",
  async (count) => {
    expect(await reasons(entries(count))).toEqual(full);
    expect(await reasons(entries(count - 1))).toEqual([]);
    expect(await reasons(entries(count + 1))).toEqual([]);
  },
);

test("so does one array of them among several", async () => {
  expect(await reasons({ a: entries(100), b: entries(3) })).toEqual(full);
});
