import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { splitIntoParts } from "../../src/bridge/dead-letter-parts.ts";
import { auditQuery } from "../../src/bridge/console/audit/audit-pages.ts";
import {
  deadLetterQueries,
  type DeadLetterQueries,
} from "../../src/bridge/console/dead-letters/dead-letters.ts";
import type { LetterFilter } from "../../src/console/ports.ts";
import { auditEvent } from "../../src/operator/audit-event.ts";
import { claimAction, claimOutcome } from "../../src/operator/replay/claims-entry.ts";
import { refOf, type DeadLetter } from "../../src/operator/replay/dead-letter.ts";
import { sharedCluster } from "../support/cluster.ts";
import { openConsoleTopics, type ConsoleTopics, type ToWrite } from "../support/console-topics.ts";

let world: ConsoleTopics;
let queries: DeadLetterQueries;
beforeAll(async () => {
  world = await openConsoleTopics(sharedCluster());
  queries = deadLetterQueries(world.config, world.services, world.cluster);
});
afterAll(async () => {
  await queries.close();
  await world.close();
});

const all: LetterFilter = { reason: null, sinceMs: null, untilMs: null };
const going = new AbortController().signal;
const start = Date.now() - 3_600_000;

const added = (reason: string): [string, string][] => [
  ["dead-letter-reason", reason],
  ["dead-letter-detail", "why"],
  ["dead-letter-source", "webhook"],
  ["dead-letter-received-at", "7"],
];
const letter = (nth: number, reason = "UNREADABLE_NOTIFICATION"): ToWrite => ({
  ...{ key: `key-${nth % 50}`, value: `letter ${nth}`, atMs: start + nth * 100 },
  headers: Object.fromEntries([["own", "1"], ...added(reason)]),
});
/** One letter of three records; without a key, each of them in whichever partition. */
const inParts = (nth: number, key: string | null): ToWrite[] =>
  splitIntoParts(
    {
      ...{ key: key === null ? null : Buffer.from(key), headers: added("UNREADABLE_NOTIFICATION") },
      value: Buffer.alloc(600_000, `${nth} `),
    },
    `id-${nth}`,
  ).map((part) => ({
    ...{ key, value: part.value, atMs: start + nth * 100 },
    headers: Object.fromEntries(part.headers as [string, string][]),
  }));

const LETTERS = 3_000;
const RARE = 400;
/** Where pages end, so that a letter and its parts stand on two of them. */
const isInParts = (nth: number): boolean => nth % 250 === 199;
const namesOf = (letters: readonly DeadLetter[]): string[] =>
  letters.map(({ preview }) => preview.slice(0, 12));

/** All pages, one after the other. */
const pages = async (filter: LetterFilter, between: (page: number) => unknown = () => undefined) => {
  const seen: DeadLetter[] = [];
  let from: string | null = null;
  let count = 0;
  do {
    const page = await queries.letters(filter, from, going);
    expect(page.letters.length).toBeLessThanOrEqual(50);
    seen.push(...page.letters);
    from = page.next;
    expect(from === null).toBe(page.searchedBackToMs === null);
    await between(count);
    count += 1;
  } while (from !== null);
  return { seen, count };
};

describe("dead letters", () => {
  beforeAll(async () => {
    const { topics, writeMany } = world;
    const records = Array.from({ length: LETTERS }, (_, nth) =>
      isInParts(nth)
        ? inParts(nth, nth % 500 === 199 ? null : `key-${nth % 50}`)
        : [letter(nth, nth % RARE === 0 ? "COMMAND_ID_REUSED" : undefined)],
    );
    // As they come: the parts of one between the letters of others.
    for (const [nth, [first, second, third]] of records.entries())
      if (isInParts(nth)) {
        records[nth] = [first!];
        records[nth + 1]?.unshift(second!);
        records[nth + 2]?.unshift(third!);
      }
    for (let from = 0; from < LETTERS; from += 500)
      await writeMany(topics.deadLetters, records.slice(from, from + 500).flat());
  });

  test("are paged from the newest on, each once, while new ones come; one in parts is one letter", async () => {
    let late = 0;
    const { seen, count } = await pages(all, (page) =>
      page % 20 === 0 ? world.write(world.topics.deadLetters, [letter(LETTERS + late++)]) : undefined,
    );
    expect(late).toBeGreaterThan(0);
    expect(seen).toHaveLength(LETTERS);
    expect(new Set(seen.map(({ place }) => refOf(place))).size).toBe(LETTERS);
    expect(count).toBeLessThan(LETTERS / 50 + 10);
    const times = seen.map(({ timestampMs }) => timestampMs);
    expect(times).toEqual([...times].sort((a, b) => b - a));
    expect(new Set(times).size).toBe(LETTERS);
    const parted = seen.filter(({ records }) => records.length > 1);
    expect(parted).toHaveLength(LETTERS / 250);
    expect(parted.every(({ missing, records }) => missing === null && records.length === 3)).toBe(true);
  }, 180_000);

  test("are chosen by reason and time, without a choice all of them for a page", async () => {
    const rare = await pages({ ...all, reason: "COMMAND_ID_REUSED" });
    expect(namesOf(rare.seen)).toEqual([
      "letter 2800",
      "letter 2400",
      "letter 2000",
      "letter 1600",
      "letter 1200",
      "letter 800",
      "letter 400",
      "letter 0",
    ]);
    const [sinceMs, untilMs] = [start + 100_000, start + 101_000];
    const chosen = await pages({ ...all, sinceMs, untilMs });
    expect(chosen.seen.map(({ timestampMs }) => timestampMs)).toEqual(
      Array.from({ length: 10 }, (_, nth) => untilMs - 100 - nth * 100),
    );
    for (const odd of [-1, -1e300, 1e300, 1.5]) {
      const filter = { ...all, sinceMs: odd };
      expect((await queries.letters(filter, null, going)).letters).toHaveLength(odd === 1e300 ? 0 : 50);
    }
    await expect(queries.letters(all, "nonsense", going)).rejects.toThrow("no such page");
    expect((await queries.letters(all, "0-999999999.77-3", going)).letters.length).toBeLessThanOrEqual(50);
  });

  test("are shown whole, with what the audit topic says of their replays", async () => {
    const [page] = [await queries.letters({ ...all, untilMs: start + 22_000 }, null, going)];
    const parted = page.letters.find(({ records }) => records.length > 1);
    const single = page.letters.find(({ records }) => records.length === 1);
    const ref = refOf(single?.place ?? { partition: -1, offset: -1 });
    const { topics, write } = world;
    const entry = (actionId: string, isEnd: boolean): string => {
      const parameters = { topic: topics.commands, ends: { 0: 1 }, letters: { [ref]: "x" }, leaseMs: 60_000 };
      const end = { end: "sent" as const, place: `${topics.commands}[0]@9` };
      const outcome = isEnd ? claimOutcome(topics.commands, new Map([[ref, end]])) : null;
      const from = { host: "h", user: "u", program: "cli" };
      const actor = { by: "ana", role: "operator" as const, note: "again", from };
      return auditEvent(
        { actionId, actor, action: claimAction(parameters, false), outcome },
        { id: "1", source: "/", timeMs: 0 },
      );
    };
    const before = await queries.letter(ref, going);
    expect(before?.replayed).toEqual([]);
    expect(String(before?.key)).toMatch(/^key-/);
    expect(String(before?.value)).toBe(single?.preview);
    expect(before?.headers).toEqual([["own", "1"]]);
    await write(topics.audit, [
      { key: "a", value: entry("a", false) },
      { key: "a", value: "not an entry" },
      { key: "a", value: entry("a", true) },
      { key: "b", value: entry("b", false) },
    ]);
    const { replayed } = (await queries.letter(ref, going)) ?? {};
    expect(replayed?.[0]).toMatch(/^Replayed \d{4}-.* by ana: .*\[0\]@9\.$/);
    expect(replayed?.[1]).toContain("under way");
    const whole = await queries.letter(refOf(parted?.place ?? { partition: -1, offset: -1 }), going);
    expect(whole?.value?.length).toBe(600_000);
    expect(whole?.letter.records).toHaveLength(3);
    const part = await queries.letter(refOf(parted?.records[1] ?? { partition: -1, offset: -1 }), going);
    expect(part?.letter.place).toEqual(parted?.place);
    for (const none of ["0/99999999", "99/0", "", "../0", "0/-1", "x".repeat(10_000)])
      expect(await queries.letter(none, going)).toBeNull();
  });

  test("are given up with whoever asked for them", async () => {
    const stopped = new AbortController();
    const asked = queries.letters(all, null, stopped.signal);
    stopped.abort(new Error("the page was left"));
    await expect(asked).rejects.toThrow("the page was left");
  });
});

test("the audit topic is shown a page at a time, the newest first, whatever stands in it", async () => {
  const own = await openConsoleTopics(sharedCluster());
  const { audit } = auditQuery(own.config, own.services, own.cluster);
  try {
    expect(await audit(null, going)).toEqual({ lines: [], next: null });
    const values = Array.from({ length: 120 }, (_, nth) => ({ key: "k", value: `no entry ${nth}` }));
    await own.writeMany(own.topics.audit, [
      ...values,
      { key: "k", value: Buffer.from([0xff, 0xfe]) },
      { key: "k", value: null },
    ]);
    const first = await audit(null, going);
    expect(first.lines.map(({ place }) => place.offset)).toEqual(
      Array.from({ length: 50 }, (_, nth) => 121 - nth),
    );
    const second = await audit(first.next, going);
    const third = await audit(second.next, going);
    expect(third.lines.map(({ place }) => place.offset)).toEqual(
      Array.from({ length: 22 }, (_, nth) => 21 - nth),
    );
    expect(third.next).toBeNull();
    expect(third.lines.at(-1)).toMatchObject({ action: "(cannot be read)", parameters: "no entry 0" });
    for (const odd of [-5, 0, 1.5, Infinity, 1e300]) expect((await audit(odd, going)).next).toBeDefined();
  } finally {
    await own.close();
  }
});
