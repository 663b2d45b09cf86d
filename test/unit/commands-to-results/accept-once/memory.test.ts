import { expect, it } from "vitest";
import { fingerprint } from "../../../../src/commands-to-results/accept-once/fingerprint.ts";
import { createMemory } from "../../../../src/commands-to-results/accept-once/memory.ts";
import { accept } from "./journal.ts";

type Memory = ReturnType<typeof createMemory>;
const put = (
  memory: Memory,
  print: ReturnType<typeof fingerprint>,
  final: Parameters<Memory["remember"]>[1],
) => {
  memory.meet(print, { content: 1, offset: final.offset });
  memory.remember(print, final);
};
const print = (i: number, key = `q${i}`) => fingerprint(accept(`c${i}`, key));

it("keeps thousands of results apart, in few bytes each", () => {
  const memory = createMemory();
  for (let i = 0; i < 20_000; i++) put(memory, print(i), { offset: 2 ** 40 + i, succeeded: i % 2 === 0 });
  expect(memory.count).toBe(20_000);
  expect(memory.bytes / memory.count).toBeLessThanOrEqual(115);
  for (let i = 0; i < 20_000; i += 7) {
    expect(memory.look(print(i)).final).toEqual({
      offset: 2 ** 40 + i,

      succeeded: i % 2 === 0,
    });
    expect(memory.look(print(i)).spent).toBe(i % 2 === 0);
  }
  expect(memory.look(print(20_000)).final).toBeNull();
});

it("forgets by offset and gives the room back", () => {
  const memory = createMemory();
  for (let i = 0; i < 5_000; i++) put(memory, print(i), { offset: i, succeeded: true });
  const { bytes } = memory;
  memory.forgetBefore(4_990);
  expect(memory.count).toBe(10);
  expect(memory.bytes).toBeLessThan(bytes / 10);
  expect(memory.look(print(4_989)).final).toBeNull();
  expect(memory.look(print(4_990)).final).toMatchObject({ offset: 4_990 });
});

it("knows a commandId under whichever key, from its first entry on", () => {
  const memory = createMemory();
  const one = fingerprint(accept("c", "q1"));
  const other = fingerprint(accept("c", "q2"));
  expect([memory.look(one).content, memory.knowsElsewhere(one, "entry")]).toEqual([null, false]);
  memory.meet(one, { content: 5, offset: 7 });
  expect(memory.look(one).final, "nothing final is known").toBeNull();
  expect([memory.look(one).content, memory.knowsElsewhere(one, "entry")]).toEqual([5, false]);
  expect([memory.look(other).content, memory.knowsElsewhere(other, "entry")]).toEqual([null, true]);
  expect(memory.knowsElsewhere(fingerprint(accept("d", "q1")), "entry")).toBe(false);
  memory.remember(one, { offset: 9, succeeded: true });
  memory.meet(one, { content: 6, offset: 11 });
  expect(memory.look(one).final).toMatchObject({ offset: 9, succeeded: true });
  expect(memory.look(one).content, "what the first entry said").toBe(5);
  memory.forgetBefore(10);
  expect([memory.look(one).content, memory.knowsElsewhere(other, "entry")]).toEqual([null, false]);
});

it("finds a command of a quote that has a hundred thousand commands", () => {
  const memory = createMemory();
  const commands = 100_000;
  put(memory, print(0, "hot"), { offset: 0, succeeded: true });
  let looks = 0;
  for (let i = 1; i < commands; i++) {
    const each = print(i, "hot");
    put(memory, each, { offset: i, succeeded: false });
    looks += Number(memory.look(each).spent);
  }
  // With rows that are found by the key this takes minutes.
  expect(looks).toBe(commands - 1);
  memory.forgetBefore(1);
  expect(memory.look(print(1, "hot"))).toMatchObject({ spent: false, final: { offset: 1 } });
});
