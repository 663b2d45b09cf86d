import { describe, expect, test } from "vitest";
import { LinkedList, type Link } from "../../../src/runtime/linked-list.ts";

describe("a linked list", () => {
  test("keeps the order of coming, whoever leaves", () => {
    const list = new LinkedList<string>();
    const links = ["a", "b", "c", "d"].map((value) => list.add(value));
    const [a, b, , d] = links as [Link<string>, Link<string>, Link<string>, Link<string>];
    list.remove(b);
    expect([...list]).toEqual(["a", "c", "d"]);
    list.remove(a);
    expect(list.first?.value).toBe("c");
    list.remove(d);
    list.add("e");
    expect([...list]).toEqual(["c", "e"]);
    expect(list.size).toBe(2);
  });

  test("lets go of each once", () => {
    const list = new LinkedList<string>();
    const link = list.add("a");
    expect(list.remove(link)).toBe(true);
    expect(list.remove(link)).toBe(false);
    expect(list).toMatchObject({ size: 0, first: null });
    list.add("b");
    expect([...list]).toEqual(["b"]);
  });

  test("can be emptied while it is gone through, and passes over whoever left before its turn", () => {
    const list = new LinkedList<number>();
    const links = new Map([1, 2, 3, 4].map((value) => [value, list.add(value)]));
    const visited: number[] = [];
    for (const value of list) {
      visited.push(value);
      for (const leaving of value === 1 ? [1, 2] : [value]) list.remove(links.get(leaving) as Link<number>);
    }
    expect(visited).toEqual([1, 3, 4]);
    expect(list.size).toBe(0);
  });

  test("what has left points to nothing that is still there", () => {
    const list = new LinkedList<number>();
    const [, second] = [list.add(1), list.add(2), list.add(3)];
    list.remove(second);
    expect(second).toMatchObject({ before: null, after: null });
  });
});
