import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { MAIN } from "../../dev/main.mjs";
import { sharedCluster } from "../support/cluster.ts";
import { AT_ONCE_MS, writeDoubts } from "../support/doubts.ts";
import { toolSettings } from "../support/settings.ts";
import { openTestWorld, openWorld, type World } from "../support/world.ts";

let world: World;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.close());

const LONG_MS = 3_600_000;

const linesOf = (text: string): string[] => text.split("\n").filter((line) => line !== "");

test("the commands in doubt are listed, the oldest first, until a person has ended them", async () => {
  const { brokers, topics } = world;
  const none = await world.run(["doubts"]);
  expect(none).toEqual({
    code: 0,
    out: "",
    err: `No command is in doubt, of 0 commands in ${topics.journal} of KAFKA_BROKERS (${brokers}).\n`,
  });

  const [older, newer] = [randomUUID(), randomUUID()];
  await writeDoubts(world, "order-1", AT_ONCE_MS, older);
  await writeDoubts(world, "order-2", LONG_MS, newer);
  const both = await world.run(["doubts"]);
  const time = String.raw`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z`;
  const line = (commandId: string, quoteId: string): unknown =>
    expect.stringMatching(
      new RegExp(`^${time}  ${commandId}  ${quoteId}  -  -  -  ${time}  OWNER_LOST gone  ${time}$`),
    );
  expect(both.code).toBe(0);
  expect(linesOf(both.out)).toEqual([line("order-1", older), line("order-2", newer)]);
  expect(linesOf(both.err)).toEqual([
    "since  commandId  quoteId  externalId  amount  evidence  claimedAt  error  resolvableAt",
    "2 commands in doubt. Find out from the partner, then `cambio-bridge resolve`: docs/commands.md.",
  ]);

  const ended = await world.run([
    ...["resolve", "order-1", "--as", "succeeded", "--by", "ana", "--note", "asked the partner"],
  ]);
  expect(ended.code).toBe(0);
  const entries = (await world.read(topics.journal)).filter(({ key }) => key === newer);
  const [claimedAtMs, sinceMs] = entries.map(({ timestampMs }) => timestampMs);
  const [, doubted] = entries;
  const left = await world.run(["doubts", "--json"]);
  expect(linesOf(left.out).map((one) => JSON.parse(one) as unknown)).toEqual([
    {
      since: new Date(sinceMs ?? 0).toISOString(),
      commandId: "order-2",
      operation: "ACCEPT_QUOTE",
      quoteId: newer,
      externalId: null,
      claimedAt: new Date(claimedAtMs ?? 0).toISOString(),
      // `resolve` wants a claim to be twenty times as old as its call may take.
      resolvableAt: new Date((claimedAtMs ?? 0) + 20 * LONG_MS).toISOString(),
      attempts: 1,
      httpStatus: null,
      error: { code: "OWNER_LOST", message: "gone" },
      ...{ response: null, transactionId: null, amount: null, counterpartyId: null, command: null },
      ...{
        evidence: [],
        transactions: [],
        moreTransactions: 0,
        transactionsCut: false,
        notes: [],
        proposals: [],
      },
      place: `${topics.journal}[${doubted?.partition}]@${doubted?.offset}`,
    },
  ]);
});

test("an interrupt ends the list, also while its reader stands still", async () => {
  const many = await openTestWorld();
  await writeDoubts(many, "order", AT_ONCE_MS, ...Array.from({ length: 5_000 }, (_, i) => `q-${i}`));
  const env = toolSettings(sharedCluster(), many);
  const child = spawn(process.execPath, [MAIN, "doubts"], { env, stdio: ["ignore", "pipe", "ignore"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  await once(child.stdout, "readable");
  const exited = once(child, "exit");
  child.kill("SIGINT");
  expect(await exited).toEqual([1, null]);
});

test("an entry that cannot be read may be a doubt: neither list nor decision, and at once", async () => {
  await world.produce(world.topics.journal, [{ key: "q", value: "of a later version" }]);
  const decide = ["--as", "succeeded", "--by", "ana", "--note", "asked the partner"];
  for (const args of [["doubts"], ["resolve", "order-2", ...decide]]) {
    const { code, out, err } = await world.run(args);
    expect([code, out]).toEqual([1, ""]);
    expect(err).toMatch(
      new RegExp(
        `^Nobody knows what is in doubt: .* ${world.topics.journal}\\[\\d\\]@\\d+ \\(.+\\): see .* docs/failures.md`,
      ),
    );
  }
  const entries = await world.read(world.topics.audit);
  const { data } = JSON.parse(String(entries.at(-1)?.value)) as { data: { outcome: { kind: string } } };
  expect(data.outcome.kind).toBe("refused");
});
