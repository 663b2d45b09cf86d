import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { decode } from "../support/avro.ts";
import { endTotal } from "../support/kafka.ts";
import type { ProgramResult } from "../support/program.ts";
import {
  followRaw,
  header,
  produceRaw,
  type RawFollowing,
  type RawRecord,
  type ReadRawRecord,
} from "../support/raw-records.ts";
import { openWorld, type World } from "../support/world.ts";

let world: World;
let commands: RawFollowing;
let letters: RawFollowing;
/** What the bridge made of commands and notifications that it could not read. */
beforeAll(async () => {
  world = await openWorld({ settings: { FLOWS: "webhooks,commands" } });
  commands = await followRaw(world, world.topics.commands);
  letters = await followRaw(world, world.topics.deadLetters);
});
afterAll(() => world.close());

const ref = ({ partition, offset }: ReadRawRecord): string => `${partition}/${offset}`;

/** Has the bridge make dead letters of records, then ends it; the letters of these records. */
const park = async (records: readonly RawRecord[]): Promise<ReadRawRecord[]> => {
  const [before, sentBefore] = [letters.seen.length, commands.seen.length];
  await produceRaw(world.brokers, world.topics.commands, records);
  const bridge = await world.startReady();
  await letters.until(() => true, before + records.length);
  await commands.until(() => true, sentBefore + records.length);
  await bridge.stop();
  return letters.seen.slice(before);
};

const deadLetters = (...args: string[]): Promise<ProgramResult> => world.run(["dead-letters", ...args]);
const replay = (...args: string[]): Promise<ProgramResult> =>
  deadLetters("replay", ...args, "--by", "ana", "--note", "the schema is there now");
const linesOf = ({ out }: ProgramResult): Record<string, unknown>[] =>
  out
    .trim()
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Record<string, unknown>);
const audit = async () =>
  (await world.read(world.topics.audit)).map(
    ({ value }) => JSON.parse(String(value)) as { type: string; data: Record<string, unknown> },
  );

const odd: readonly RawRecord[] = [
  { key: Buffer.from("k"), value: Buffer.from("first of k"), headers: [header("a", "1"), header("a", null)] },
  { key: Buffer.from("k"), value: Buffer.from("second of k"), headers: [] },
  { key: null, value: null, headers: [header("", null)] },
  {
    key: Buffer.from([0, 255]),
    value: Buffer.from([255, 0, 27]),
    headers: [header(Buffer.from([254]), "x")],
  },
  { key: Buffer.alloc(0), value: Buffer.alloc(0), headers: [] },
  {
    key: Buffer.from("\u001b[31mred\u202e"),
    value: Buffer.from("\u001b]0;title\u0007"),
    headers: [header("dead-letter-reason", "mine"), header("dead-letter-timestamp", "7")],
  },
  {
    key: Buffer.from("many"),
    value: Buffer.from("headers"),
    headers: Array.from({ length: 1_000 }, () => header("h", "v")),
  },
  { key: Buffer.from("large"), value: Buffer.alloc(2_000_000, "no command "), headers: [] },
];

/** A dead letter, with what its headers say beside its reason and source. */
const letterOf = (
  reason: string,
  source: string,
  value: string,
  more: Record<string, string>,
): RawRecord => ({
  key: Buffer.from(value),
  value: Buffer.from(value),
  headers: Object.entries({ reason, detail: "", source, ...more }).map(([name, text]) =>
    header(`dead-letter-${name}`, text),
  ),
});
const commandLetter = (reason: string, value: string, offset: number): RawRecord =>
  letterOf(reason, "command", value, {
    topic: world.topics.commands,
    partition: "0",
    offset: String(offset),
    timestamp: String(Date.now()),
  });
const notificationLetter = (reason: string, body: string): RawRecord => ({
  ...letterOf(reason, "webhook", body, { "received-at": "1760000000000" }),
  key: null,
});

/** Buffers of megabytes are not for `toEqual`. */
const comparable = ({ key, value, headers }: RawRecord): string =>
  JSON.stringify([key, value, ...headers.flat()].map((bytes) => bytes?.toString("base64") ?? null));

/** What `list` says on standard error. */
const HEAD = "ref  timestamp  reason  source  origin  detail  preview";

describe("letters of commands", () => {
  let parked: ReadRawRecord[];
  beforeAll(async () => {
    parked = await park(odd);
  });

  test("are listed on a line each, and nothing in them reaches the terminal", async () => {
    const listed = await deadLetters("list");
    expect(listed).toMatchObject({ code: 0, err: `${HEAD}\n` });
    const lines = listed.out.trimEnd().split("\n");
    expect(lines).toHaveLength(odd.length);
    for (const letter of parked) expect(lines.some((line) => line.startsWith(`${ref(letter)}  `))).toBe(true);
    expect(listed.out.replaceAll("\n", "")).not.toMatch(/[\p{Cc}\p{Cf}]/u);
    expect(lines.every((line) => line.includes("UNREADABLE_COMMAND"))).toBe(true);
    expect(lines.every((line) => line.includes(`  ${world.topics.commands} 0 `))).toBe(true);
    expect((await deadLetters("list", "--limit", "1")).err).toBe(
      `${HEAD}\nThe newest 1 of ${odd.length}: --limit shows more, --since and --reason choose.\n`,
    );
    expect(await deadLetters("list", "--until", "1h", "--json")).toEqual({
      ...{ code: 0, out: "", err: "No dead letter fits these options.\n" },
    });
    const json = await deadLetters("list", "--since", "1h", "--json");
    expect(json.err).toBe("");
    expect(linesOf(json)).toHaveLength(odd.length);
  });

  test("are shown with everything that is known of them", async () => {
    const binary = parked.find(({ value }) => value?.[0] === 255) as ReadRawRecord;
    const shown = await deadLetters("show", ref(binary));
    expect(shown).toMatchObject({ code: 0, err: "" });
    const none = parked.find(({ value }) => value === null) as ReadRawRecord;
    expect((await deadLetters("show", ref(none))).out).toContain('\n  "value": null');
    expect(shown.out).toContain("neither JSON nor Avro");
    const [json] = linesOf(await deadLetters("show", ref(binary), "--json"));
    expect(JSON.parse(shown.out)).toEqual(json);
    expect(json).toMatchObject({
      key: { base64: "AP8=" },
      value: { base64: "/wAb" },
      headers: { "\ufffd": "x" },
    });
    expect(json?.["letterHeaders"]).toMatchObject({ source: "command", topic: world.topics.commands });
    expect(await deadLetters("show", "0/99999")).toMatchObject({ code: 1, out: "" });
    expect(await deadLetters("show", "nothing")).toMatchObject({ code: 2 });
  });

  test("are only planned in a dry run", async () => {
    const planned = await replay("--since", "1h", "--dry-run");
    expect(planned).toMatchObject({ code: 0, err: "" });
    expect(planned.out).toContain(`${odd.length} of ${odd.length} dead letters`);
    expect(planned.out).toContain(`to be sent: ${odd.length} UNREADABLE_COMMAND.`);
    expect(await audit()).toEqual([]);
    expect(await replay()).toMatchObject({ code: 2 });
    expect(await deadLetters("replay", "0/0")).toMatchObject({ code: 2 });
  });

  test("are sent as they were, each once, in the order of their key", async () => {
    const before = commands.seen.length;
    const sent = await replay("--reason", "UNREADABLE_COMMAND");
    expect(sent.code, sent.err).toBe(0);
    expect(sent.out).toContain(`${odd.length} of ${odd.length} sent, the first: ${world.topics.commands}[`);
    const back = (await commands.until(() => true, before + odd.length)).slice(before);
    for (const record of odd) {
      const same = back.filter((each) => comparable(each) === comparable(record));
      expect(same.length, String(record.key)).toBe(1);
    }
    const ofK = back.filter(({ key }) => key?.toString() === "k");
    expect(ofK.map(({ value }) => String(value))).toEqual(["first of k", "second of k"]);
    expect(new Set(ofK.map(({ partition }) => partition)).size).toBe(1);
    const entries = await audit();
    expect(entries.map(({ type }) => type.split(".").at(-1))).toEqual([
      "OperatorActionRequested",
      "OperatorActionEnded",
    ]);
    expect(entries[1]?.data).toMatchObject({
      by: "ana",
      action: "replay",
      outcome: {
        kind: "done",
        effect: { letters: { [ref(parked[0] as ReadRawRecord)]: placeIn(world.topics.commands) } },
      },
    });
    const { effect } = entries[1]?.data["outcome"] as { effect: { letters: Record<string, string> } };
    expect(Object.values(effect.letters).sort()).toEqual(
      back.map((each) => `${world.topics.commands}[${each.partition}]@${each.offset}`).sort(),
    );
  });

  test("are not sent a second time", async () => {
    const before = commands.seen.length;
    const first = parked[0] as ReadRawRecord;
    const second = await replay(ref(first));
    expect(second.code).toBe(0);
    expect(second.out).toMatch(/replayed before, .* \(\d{4}-.* by ana: /);
    const selected = await replay("--reason", "UNREADABLE_COMMAND");
    expect([selected.code, selected.out], "none of those selected is left").toEqual([
      0,
      expect.stringMatching(/not sent: \d+ replayed before/),
    ]);
    expect(await endTotal(world.brokers, world.topics.commands)).toBe(before);
  });
});

describe("letters of notifications", () => {
  const letter = (body: string): RawRecord => notificationLetter("UNREADABLE_NOTIFICATION", body);

  test("become events, once; what is still not understood is left", async () => {
    const { brokers, topics } = world;
    const known = '{"transactionId":"tx-1","status":"AWAITING_PAYMENT","createdAt":"2026-11-21T12:00:00Z"}';
    const at = letters.seen.length;
    await produceRaw(brokers, topics.deadLetters, [letter(known), letter(known), letter("{")]);
    const refs = (await letters.until(() => true, at + 3)).slice(at).map(ref);
    // A replay that was killed has announced them, and never said what came of it.
    const data = { actionId: "killed", action: "replay", by: "bob", parameters: { letters: refs } };
    await world.produce(topics.audit, [{ key: "killed", value: JSON.stringify({ data }) }]);
    // A bridge for webhooks alone needs no commands topic.
    const withoutCommands = { TOPIC_COMMANDS: `${topics.commands}-absent` };
    const args = ["--by", "ana", "--note", "the schema is there now"];
    const sent = await world.run(["dead-letters", "replay", ...refs, ...args], withoutCommands);
    expect(sent.code).toBe(1);
    expect(sent.out).toMatch(
      /^2 of 2 sent, the first: .*, the last: event 73fc03d1\w+, which was there already\.$/m,
    );
    expect(sent.out).toContain(`not sent: 1 would come to nothing, ${refs[2]} (still not understood`);
    const events = await world.read(topics.events);
    expect(events.map(({ value }) => decode("transaction-status-updated", value))).toMatchObject([
      {
        eventId: "73fc03d10f5d07d43d16f057322c850d",
        source: "WEBHOOK",
        receivedAt: 1760000000000,
        payload: known,
      },
    ]);
    expect((await replay(refs[0] ?? "")).code).toBe(0);
    expect(await endTotal(brokers, topics.deadLetters)).toBe(letters.seen.length);
  });

  test("a letter whose topic is gone is refused, in the plan as well", async () => {
    const { brokers, topics } = world;
    const at = letters.seen.length;
    await produceRaw(brokers, topics.deadLetters, [letter('{"transactionId":"tx-2","status":"CANCELED"}')]);
    await letters.until(() => true, at + 1);
    const absent = `${topics.events}-absent`;
    const refs = [ref(letters.seen[at] as ReadRawRecord)];
    const args = ["dead-letters", "replay", ...refs, "--dry-run", "--by", "ana", "--note", "why"];
    const planned = await world.run(args, { TOPIC_TRANSACTION_STATUS: absent });
    expect(planned).toMatchObject({ code: 1, out: "" });
    expect(planned.err).toContain(`Topic ${absent} does not exist: run`);
  });
});

test("letters of commands and of notifications are left alone where one of their topics cannot be written", async () => {
  const { brokers, topics } = world;
  const reason = "OF_BOTH_KINDS";
  const body = '{"transactionId":"tx-3","status":"CANCELED","createdAt":"2026-11-21T12:00:00Z"}';
  const parked = [commandLetter(reason, "x", 0), notificationLetter(reason, body)];
  await produceRaw(brokers, topics.deadLetters, parked);
  const ends = (): Promise<number[]> =>
    Promise.all([topics.commands, topics.audit].map((topic) => endTotal(brokers, topic)));
  const before = await ends();
  const args = ["dead-letters", "replay", "--reason", reason, "--by", "ana", "--note", "n"];
  const refused = await world.run(args, { PARTNER_BASE_URL: "" });
  expect(refused.code).toBe(1);
  expect(refused.out).toContain("2 of 2 dead letters are to be sent");
  expect(refused.err).toContain("PARTNER_BASE_URL is not set");
  expect(await ends()).toEqual(before);
});

/** The place of any record in this topic. */
function placeIn(topic: string): string {
  return expect.stringMatching(new RegExp(`^${topic}\\[\\d+\\]@\\d+$`)) as string;
}

test("Ctrl-C concludes what was sent, and leaves the rest to the next one", async () => {
  const { brokers, topics } = world;
  const reason = "OF_THIS_TEST";
  const records = Array.from({ length: 1_000 }, (_, nth) => commandLetter(reason, String(nth), nth));
  await produceRaw(brokers, topics.deadLetters, records);
  const before = await endTotal(brokers, topics.commands);
  const replaying = await world.start([
    ...["dead-letters", "replay", "--reason", reason, "--by", "ana", "--note", "n"],
  ]);
  await replaying.untilLine((line) => line === "100 of 1000 so far", "the first batch");
  replaying.signal("SIGINT");
  expect(await replaying.exited()).toBe(1);
  const sent = (await endTotal(brokers, topics.commands)) - before;
  expect(sent).toBeLessThan(1_000);
  expect(sent % 100, "whole batches").toBe(0);
  expect((await replaying.lines()).join("\n")).toContain(
    `${1_000 - sent} of 1000 were not sent: it was interrupted`,
  );
  const rest = await replay("--reason", reason);
  expect(rest.out, rest.err).toContain(
    `${1_000 - sent} of ${1_000 - sent} sent, the first: ${topics.commands}[`,
  );
  expect(await endTotal(brokers, topics.commands)).toBe(before + 1_000);
});
