import { expect, test } from "vitest";
import { frameSaysMore, linksToMore } from "../../../src/log-to-events/more-hints.ts";

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
  { limit: 100, size: 1_000, number: 3_000, totalAmount: 5_000, totalMs: 900 },
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
