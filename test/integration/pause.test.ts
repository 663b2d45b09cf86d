import { afterAll, beforeAll, expect, test } from "vitest";
import { newAccepts, sendAccepts } from "../support/accepts.ts";
import { correctTally } from "../support/accept-tally.ts";
import { openCommandsWorld } from "../support/commands-world.ts";
import { eventually } from "../support/eventually.ts";
import type { Following } from "../support/follow-topics.ts";
import { askAdmin, endTotal, setTopicConfig } from "../support/kafka.ts";
import type { ProgramResult } from "../support/program.ts";
import type { Replica } from "../support/replica.ts";
import type { World } from "../support/world.ts";

/** Within so long all replicas follow. */
const FOLLOW_MS = 5_000;

/** A replica whose clock is a minute ahead: by that clock a pause of 15 s would be over at once. */
const AHEAD = {
  NODE_OPTIONS: "--import data:text/javascript,const{now}=Date;Date.now=()=>now()+6e4",
};

let world: World;
let replicas: Replica[];
let following: Following;
let accepts: Awaited<ReturnType<typeof sendAccepts>>;

beforeAll(async () => {
  ({ world, replicas } = await openCommandsWorld({ replicas: 3 }));
  accepts = await sendAccepts(world);
  following = await world.follow([world.topics.audit, world.topics.control]);
});
afterAll(() => world.close());

const who = ["--by", "ana", "--note", "FX-7: the partner asked for it"];
const run = async (...args: string[]): Promise<ProgramResult> => {
  const ended = await world.run([...args, ...who]);
  expect(ended).toMatchObject({ code: 0, err: "" });
  return ended;
};
const gaugeOf = async ({ metrics }: Replica, flow: string): Promise<number> => {
  const text = await metrics();
  return Number(new RegExp(`^cambio_bridge_paused\\{flow="${flow}"\\} (\\d)$`, "m").exec(text)?.[1]);
};
const untilAll = (paused: boolean, withinMs = FOLLOW_MS, flow = "commands"): Promise<unknown> =>
  eventually(
    async () =>
      (await Promise.all(replicas.map((replica) => gaugeOf(replica, flow)))).every(
        (one) => one === Number(paused),
      ),
    `all replicas to ${paused ? "pause" : "go on"}`,
    withinMs,
  );
/** The lines of a replica that say this, once there are so many: the log is written in chunks. */
const linesWith = async (replica: Replica, text: string, count: number): Promise<string[]> => {
  const found = async (): Promise<string[]> => (await replica.lines()).filter((line) => line.includes(text));
  await eventually(async () => (await found()).length >= count, `${count} lines with ${text}`, 30_000);
  return found();
};
const status = async () => {
  const { code, out, err } = await world.run(["status", "--json"]);
  expect({ code, err }).toEqual({ code: 0, err: "" });
  return JSON.parse(out) as {
    flows: Record<string, { paused: boolean; last: object | null }>;
    commands: { state: string; members: { partitions: object }[]; lag: number };
  };
};
const eventsOf = (action: string, subject: string) =>
  following
    .of(world.topics.audit)
    .map(
      ({ value }) =>
        JSON.parse(String(value)) as { type: string; subject: string; data: Record<string, unknown> },
    )
    .filter((event) => event.data["action"] === action && event.subject === subject);

test("a pause holds on three replicas while commands come, survives a restart, and a resume ends it", async () => {
  await accepts.send(30);
  await eventually(() => accepts.answered() === accepts.sent(), "the first answers", 30_000);

  const { out } = await run("pause", "commands");
  expect(out).toContain(`${world.topics.control}[0]@0`);
  await untilAll(true);
  const before = await world.executions();
  await accepts.send(60);
  const [first] = replicas;
  expect(await first!.stop(), "the drain of a paused replica").toBe(0);
  const again = await world.startReplica(AHEAD);
  replicas = [...replicas.slice(1), again];
  await again.untilReady();
  await untilAll(true);
  const standing = await status();
  expect(standing.flows["commands"]).toMatchObject({
    paused: true,
    last: { says: "pause", by: "ana", note: "FX-7: the partner asked for it", until: null },
  });
  const { commands } = await eventually(
    async () => {
      const seen = await status();
      return seen.commands.state === "Stable" && seen;
    },
    "the group to settle",
    20_000,
  );
  expect([commands.members.length, commands.lag]).toEqual([3, 60]);
  expect([await world.executions(), accepts.answered()]).toEqual([before, 30]);
  const ready = await (await fetch(`${again.managementUrl}/readyz`)).json();
  expect(ready).toMatchObject({
    status: "ready",
    components: {
      control: { status: "up", detail: expect.stringMatching(/^commands paused by ana since 20/) as string },
    },
  });

  const resumed = await run("resume", "commands");
  expect(resumed.out).toMatch(/^Resumed: commands\.\nWritten to /);
  expect(await accepts.settle(30_000)).toMatchObject(correctTally(90));
  expect(accepts.answered()).toBe(90);
  await untilAll(false);
  const changes = await linesWith(again, '"flow.', 2);
  expect(changes.map((line) => JSON.parse(line) as object)).toEqual([
    expect.objectContaining({ level: "warn", msg: "flow.paused", flow: "commands", by: "ana", until: null }),
    expect.objectContaining({ level: "info", msg: "flow.resumed", flow: "commands", by: "ana" }),
  ]);

  // What people did stands in the audit topic, for anybody to read.
  await eventually(() => eventsOf("pause", "commands").length >= 2, "the audit of the pause", 30_000);
  const [requested, ended] = eventsOf("pause", "commands");
  expect(requested).toMatchObject({ type: "cambio.bridge.v1.OperatorActionRequested", data: { by: "ana" } });
  expect(ended).toMatchObject({
    type: "cambio.bridge.v1.OperatorActionEnded",
    data: { actionId: requested?.data["actionId"], outcome: { kind: "done" } },
  });
}, 120_000);

test("accepts are paused alone: creates are answered meanwhile, and no accept is called", async () => {
  await run("pause", "accepts");
  await untilAll(true, FOLLOW_MS, "accepts");
  await untilAll(false);
  const [called, answered] = [await world.executions(), accepts.answered()];
  const creates = Array.from({ length: 20 }, (_, nth) => ({
    commandId: `create-${nth}-${answered}`,
    request: {
      ...{ type: "CreateQuote", direction: "OUTBOUND", purpose: "COMEX", quotedAmount: "10.00" },
      ...{ baseCurrencyIso: "USD", quotedCurrencyIso: "BRL" },
    },
  }));
  const waiting = newAccepts(20);
  await accepts.submit(waiting);
  await world.produce(
    world.topics.commands,
    creates.map((command) => ({ key: command.commandId, value: JSON.stringify(command) })),
  );
  await eventually(() => creates.every(accepts.isAnswered), "the creates", 30_000);
  // Longer than an accept takes, and than a replica takes to ask whether they are still paused.
  await new Promise((resolve) => setTimeout(resolve, 3_000));
  expect(waiting.filter(accepts.isAnswered)).toEqual([]);
  expect(await world.executions()).toBe(called);

  await run("resume", "accepts");
  await eventually(() => waiting.every(accepts.isAnswered), "the accepts that waited", 30_000);
  expect(await world.executions()).toBe(called + waiting.length);
  expect(waiting.flatMap(({ commandId }) => accepts.results.get(commandId) ?? [])).toEqual(
    waiting.map(() => expect.objectContaining({ outcome: "SUCCEEDED", attempts: 1 }) as unknown),
  );
}, 120_000);

test("a pause replaces another, and ends by itself; what nobody can read changes nothing", async () => {
  await run("pause", "commands");
  await untilAll(true);
  const { out } = await run("pause", "commands", "--until", "15s");
  expect(out).toMatch(/^Paused: commands, until \S+Z\.\nWritten to /);
  await world.produce(world.topics.control, [
    { key: "commands", value: JSON.stringify({ version: 2, says: "resume" }) },
    { key: "commands", value: "\u0000" },
    { key: "nothing", value: "{}" },
  ]);
  const answered = accepts.answered();
  await accepts.send(6);
  await untilAll(true);
  await untilAll(false, 15_000 + FOLLOW_MS);
  await eventually(() => accepts.answered() === answered + 6, "what waited", 20_000);
  for (const replica of replicas) expect(await linesWith(replica, '"control.unreadable"', 3)).toHaveLength(3);
  const { code, out: seen, err } = await world.run(["status"]);
  expect(code).toBe(0);
  expect(seen).toMatch(/^Nothing is paused by a person\.$/m);
  expect(err.match(/ cannot be read\.$/gm), err).toHaveLength(3);
}, 120_000);

test("without an audit topic that can be written there is no action", async () => {
  const { audit, control, journal } = world.topics;
  const ends = (): Promise<number[]> =>
    Promise.all([control, journal].map((topic) => endTotal(world.brokers, topic)));
  const standing = await ends();
  const actions = [
    ["pause", "commands", ...who],
    ["resume", "commands", ...who],
    ["resolve", newAccepts(1)[0]!.commandId, "--as", "succeeded", ...who],
  ];
  const refused = async (sentence: RegExp): Promise<void> => {
    const ended = await Promise.all(actions.map((args) => world.run(args)));
    for (const { code, out, err } of ended) {
      expect({ code, out }).toEqual({ code: 1, out: "" });
      expect(err).toMatch(sentence);
    }
    expect(await ends()).toEqual(standing);
  };
  const nowhere = await world.run(["pause", "commands", ...who], { TOPIC_CONTROL: "nowhere" });
  expect(nowhere.err).toBe("Topic nowhere does not exist: run `cambio-bridge setup`.\n");
  await setTopicConfig(world.brokers, audit, { "max.message.bytes": "10" });
  await refused(
    /^Nothing was done, because it could not be written to the audit topic first \(.+\): see that/m,
  );
  await askAdmin(world.brokers, (admin) => admin.deleteTopics({ topics: [audit] }));
  await refused(new RegExp(`^Topic ${audit} does not exist: .*cambio-bridge setup`, "m"));
});
