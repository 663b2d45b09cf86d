import { expect, test } from "vitest";
import { LinkedList } from "../../../src/listener/connections.ts";

test.each([
  ["the first leaves first", [0, 1, 2], ["b", "c", undefined]],
  ["the last leaves first", [2, 1, 0], ["a", "a", undefined]],
  ["the middle leaves first", [1, 0, 2], ["a", "c", undefined]],
])("%s: the oldest of the others is the first", (_, order, firsts) => {
  const list = new LinkedList<string>();
  expect(list.first).toBeUndefined();
  const entries = ["a", "b", "c"].map((value) => list.add(value));
  expect(list.first).toBe("a");
  expect(order.map((at) => (list.remove(entries[at]!), list.first))).toEqual(firsts);
  list.append(entries[1]!);
  list.append(entries[0]!);
  expect(list.first).toBe("b");
});
