import { expect, it } from "vitest";
import { hiddenIn, signInSettings, startConsole } from "../support/console-program.ts";
import { eventually } from "../support/eventually.ts";
import type { TopicRecord } from "../support/follow-topics.ts";
import { endTotal } from "../support/kafka.ts";
import type { Message } from "../support/produce.ts";
import { openTestWorld } from "../support/world.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const LETTERS = 1_000;
/** Two letters each, half of all letters apart. */
const KEYS = 500;
/** One that is killed may send so many a second time. */
const BATCH = 100;

const letter = (commands: string, nth: number): Message => ({
  key: nth % 10 === 0 ? null : `key-${nth % KEYS}`,
  value: `no command ${nth}`,
  headers: {
    nth: String(nth),
    "dead-letter-reason": "UNREADABLE_COMMAND",
    "dead-letter-detail": "not known then",
    "dead-letter-source": "command",
    "dead-letter-topic": commands,
    "dead-letter-partition": "0",
    "dead-letter-offset": String(nth),
    "dead-letter-timestamp": String(Date.now()),
  },
});

const ARGS = ["dead-letters", "replay", "--reason", "UNREADABLE_COMMAND", "--note", "known now"];

type Outcome = { kind: string; effect?: { letters?: Record<string, string> } };
type Entry = { type: string; data: { actionId: string; by: string; outcome?: Outcome } };

it("sends a thousand letters, each batch twice at most, with a replay and a console killed in the middle, and two replays at once", async () => {
  const world = await openTestWorld();
  const { brokers, topics } = world;
  const all = Array.from({ length: LETTERS }, (_, nth) => letter(topics.commands, nth));
  await world.produce(topics.deadLetters, all);
  const sent = (): Promise<number> => endTotal(brokers, topics.commands);

  const replay = await world.start([...ARGS, "--by", "ana"]);
  await replay.untilLine((line) => line.startsWith("200 of "), "two batches");
  await replay.kill();
  const before = await sent();
  expect(before).toBeLessThan(LETTERS);

  const pages = await startConsole(world, await signInSettings(temporaryFolder()));
  const plan = await pages.until("/replay?reason=UNREADABLE_COMMAND&period=all", "Send ", "bia");
  const fields = { ...hiddenIn(plan, "/replay"), note: "known now" };
  const posting = pages.post("/replay", fields, "bia").catch(() => undefined);
  await eventually(async () => (await sent()) > before + BATCH, "two batches of the console");
  await pages.program.kill();
  await posting;
  expect(await sent()).toBeLessThan(LETTERS);

  const both = await Promise.all(["cid", "dan"].map((by) => world.run([...ARGS, "--by", by])));
  for (const { code, out, err } of both) expect([0, 1], err + out).toContain(code);
  const last = await world.run([...ARGS, "--by", "eve"]);
  expect(last.out, last.err).toContain("replayed before");
  expect(last.code).toBe(0);

  const seen = await world.read(topics.commands);
  const byValue = (records: readonly { value: unknown }[]): string[] =>
    records.map(({ value }) => String(value)).sort();
  expect([...new Set(byValue(seen))]).toEqual(byValue(all));
  for (const record of seen) {
    const nth = Number(record.headers["nth"]);
    expect(record).toMatchObject({ key: all[nth]?.key, headers: { nth: String(nth) } });
    expect(Object.keys(record.headers)).toEqual(["nth"]);
  }
  // Each of the two that were killed may have begun one batch more than it could say.
  expect(seen.length - LETTERS).toBeLessThanOrEqual(2 * BATCH);
  for (let nth = 0; nth < KEYS; nth += 1) {
    const ofKey = seen.filter(({ key }) => key === `key-${nth}`).sort((a, b) => a.offset - b.offset);
    const order = [...new Set(ofKey.map(({ headers }) => Number(headers["nth"])))];
    expect(order).toEqual([...order].sort((a, b) => a - b));
  }

  const entries = (await world.read(topics.audit)).map(
    ({ value }: TopicRecord) => JSON.parse(String(value)) as Entry,
  );
  const ended = new Map(
    entries.flatMap(({ data }) => (data.outcome ? [[data.actionId, data.outcome.kind]] : [])),
  );
  // The two that ran at once sent nothing twice between them.
  const ofBoth = entries.filter(({ data }) => ["cid", "dan"].includes(data.by));
  const places = ofBoth.flatMap(({ data }) => Object.keys(data.outcome?.effect?.letters ?? {}));
  expect(places.length).toBeGreaterThan(0);
  expect(places).toEqual([...new Set(places)]);
  const open = entries.filter(({ data }) => !data.outcome && !ended.has(data.actionId));
  // Those of the two that were killed, at most.
  expect(open.every(({ data }) => ["ana", "bia"].includes(data.by))).toBe(true);
  expect(open.length).toBeLessThanOrEqual(2);
  expect(new Set(ended.values())).not.toContain("failed");
  const again = await world.run([...ARGS, "--by", "fay"]);
  expect(again.code).toBe(0);
  expect(await sent()).toBe(seen.length);
  expect((await world.read(topics.audit)).length).toBe(entries.length);
}, 400_000);
