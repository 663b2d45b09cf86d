import { describe, expect, test } from "vitest";
import { NameTable } from "../../../src/runtime/name-table.ts";

describe("a table of names", () => {
  test("agrees with a Map, whatever comes and goes, in whichever order", () => {
    const table = new NameTable<number>();
    const map = new Map<string, number>();
    let seed = 1;
    // Few names, so that they meet again; many more than the chains, so that each chain holds several.
    const next = (below: number): number => (seed = (seed * 48_271) % 2_147_483_647) % below;
    for (let step = 0; step < 20_000; step++) {
      const name = `name-${next(4_000)}`;
      if (next(3) === 0) expect(table.delete(name)).toBe(map.delete(name));
      else {
        table.set(name, step);
        map.set(name, step);
      }
      expect(table.get(name)).toBe(map.get(name));
      expect(table.size).toBe(map.size);
    }
    for (const [name, value] of map) expect(table.get(name)).toBe(value);
    expect(map.size).toBeGreaterThan(1_500);
  });

  test("tells names apart that are alike", () => {
    const table = new NameTable<string>();
    const names = ["", "a", "b", "ab", "ba", "\u0000", "ação", "a\uD800"];
    for (const name of names) table.set(name, name);
    expect(names.map((name) => table.get(name))).toEqual(names);
    expect(table.get("aba")).toBeUndefined();
  });
});
