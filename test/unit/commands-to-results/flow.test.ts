import { describe, expect, test } from "vitest";
import { checkFor, type Unfit } from "../../../src/commands-to-results/check.ts";
import { resultIdOf } from "../../../src/commands-to-results/conclude.ts";
import {
  commandsToResults,
  type CommandPorts,
  type CommandRecord,
} from "../../../src/commands-to-results/flow.ts";
import type { Item, Settled } from "../../../src/commands-to-results/journal/ports.ts";
import { readCommand, type DecodeCommand } from "../../../src/commands-to-results/read.ts";
import { refusals } from "../../../src/commands-to-results/unfit.ts";
import type { CommandResult } from "../../../src/records.ts";
import { command, createRequest, NOW } from "./commands.ts";

const never = new AbortController().signal;
const lifeline = { stop: never, cut: never, abandon: never };
const place = { leave: () => undefined, take: () => Promise.resolve() };
const known = { commandId: "from the journal" } as CommandResult;
const done: Settled = { kind: "answered", result: known };
const noAvro: DecodeCommand = () => ({ ok: false, detail: "no Avro here" });

const setUp = (over: Partial<CommandPorts> & { settled?: Settled; decode?: DecodeCommand } = {}) => {
  const said: string[] = [];
  const executed: Item[] = [];
  const answered: CommandResult[] = [];
  const { guard, disguise } = refusals(() => null);
  const ports: CommandPorts = {
    read: readCommand({
      check: checkFor({ purposes: [], currencies: [] }),
      decode: over.decode ?? noAvro,
    }),
    disguise,
    execute: (item) => {
      said.push("execute");
      executed.push(item);
      return Promise.resolve(over.settled ?? done);
    },
    answer: (result) => {
      said.push("answer");
      answered.push(result);
      return Promise.resolve();
    },
    park: (_, reason) => {
      said.push(`park ${reason}`);
      return Promise.resolve();
    },
    now: () => NOW,
    ...over,
  };
  const flow = commandsToResults(ports);
  const handle = (value: string | Buffer | null, more: Partial<CommandRecord> = {}) =>
    flow(
      {
        topic: "t",
        partition: 3,
        offset: 42,
        timestampMs: NOW - 1_000,
        traceparent: null,
        key: null,
        value: value === null ? null : Buffer.from(value),
        ...more,
      },
      lifeline,
      place,
    );
  return { handle, said, executed, answered, guard };
};
const json = (over: object = {}): string =>
  JSON.stringify({
    commandId: "c-1",
    request: { type: "AcceptQuote", quoteId: "Q-1", counterpartyId: "cp-1", ...over },
  });

describe("a command that can be executed", () => {
  test("goes to the journal under its quote, with what is to be sent", async () => {
    const { handle, said, executed } = setUp();
    expect(await handle(json({ amount: "10.50" }))).toEqual({
      result: known,
      deadLettered: null,
    });
    expect(said).toEqual(["execute"]);
    expect(executed[0]).toMatchObject({
      key: "Q-1",
      receivedAt: NOW,
      command: { commandId: "c-1", issuedAt: NOW - 1_000, expiresAt: null },
      request: {
        operation: "ACCEPT_QUOTE",
        method: "PUT",
        body: '{"counterpartyId":"cp-1","amount":10.50}',
      },
    });
  });

  test("is read from Avro where it does not begin with a brace, at once or later", async () => {
    const { type, ...fields } = createRequest as { type: string } & Record<string, string>;
    const value = {
      ...command(createRequest),
      request: { [`cambio.bridge.v1.${type}`]: fields },
    } as unknown;
    for (const decoded of [{ ok: true, value }, Promise.resolve({ ok: true, value })]) {
      const { handle, executed } = setUp({ decode: () => decoded as ReturnType<DecodeCommand> });
      await handle(Buffer.from([0, 0, 0, 0, 1, 2]));
      expect(executed[0]).toMatchObject({ key: "c-1", request: { operation: "CREATE_QUOTE" } });
    }
  });

  test("whose commandId was used for something else is parked, and neither answered", async () => {
    const { handle, said } = setUp({ settled: { kind: "reused" } });
    expect(await handle(json())).toEqual({ result: null, deadLettered: "COMMAND_ID_REUSED" });
    expect(said).toEqual(["execute", "park COMMAND_ID_REUSED"]);
  });
});

describe("a command that cannot be read", () => {
  test.each([
    ["a tombstone", null],
    ["nothing", ""],
    ["no Avro", "\x01\x02"],
    ["an array", "[1]"],
    ["broken JSON", '{"commandId":"c-9",'],
  ])("%s is parked first, then answered under its place", async (_, value) => {
    const { handle, said, answered } = setUp();
    const handled = await handle(value);
    expect(handled).toEqual({ result: answered[0], deadLettered: "UNREADABLE_COMMAND" });
    expect(said).toEqual(["park UNREADABLE_COMMAND", "answer"]);
    expect(answered[0]).toMatchObject({
      commandId: value?.includes("c-9") ? "c-9" : "",
      operation: "UNKNOWN",
      outcome: "REJECTED",
      final: true,
      error: { code: "UNREADABLE_COMMAND" },
      attempts: 0,
    });
  });

  test("gives each place its own resultId, and the same place the same one", async () => {
    const { handle, answered } = setUp();
    await handle(null);
    await handle(null, { offset: 43 });
    await handle(null);
    const [first, other, again] = answered.map(({ resultId }) => resultId);
    expect(other).not.toBe(first);
    expect(again).toBe(first);
  });

  test("is not answered when it cannot be parked", async () => {
    const { handle, said } = setUp({ park: () => Promise.reject(new Error("no dead letters")) });
    await expect(handle(null)).rejects.toThrow("no dead letters");
    expect(said).toEqual([]);
  });
});

describe("a command that breaks a rule", () => {
  test("goes to the journal as well, where its id may be known, and is refused by its guard alone", async () => {
    const { handle, said, executed, guard } = setUp();
    await handle(json({ ammount: "1" }));
    expect(said).toEqual(["execute"]);
    const verdict = guard(executed[0]!.command, NOW);
    expect(verdict).toMatchObject({
      outcome: "REJECTED",
      decidedBy: "BRIDGE",
      error: { code: "INVALID_COMMAND" },
    });
    expect(verdict?.error?.message).toContain("ammount");
    expect(guard({ ...executed[0]!.command }, NOW), "another command is not refused").toBeNull();
  });

  test("has another content than any valid one, so that a reused id shows", async () => {
    const { handle, executed } = setUp();
    await handle(json());
    await handle(json({ ammount: "1" }));
    await handle(json({ ammount: "2" }));
    expect(new Set(executed.map(({ requestHash }) => requestHash)).size).toBe(3);
    expect(new Set(executed.map(({ key }) => key))).toEqual(new Set(["Q-1"]));
  });

  test.each([
    ["has no commandId", '{"request":{"type":"AcceptQuote","quoteId":"q","counterpartyId":"c"}}', ""],
    ["asks for nothing known", '{"commandId":"c-1","request":{"type":"DropQuote"}}', "c-1"],
    [
      "names a quote that is none",
      '{"commandId":"c-1","request":{"type":"AcceptQuote","quoteId":"..","counterpartyId":"c"}}',
      "c-1",
    ],
  ])("but %s is answered at once", async (_, value, commandId) => {
    const { handle, said, answered } = setUp();
    expect(await handle(value)).toEqual({ result: answered[0], deadLettered: null });
    expect(said).toEqual(["answer"]);
    expect(answered[0]).toMatchObject({ commandId, outcome: "REJECTED", error: { code: "INVALID_COMMAND" } });
    if (commandId !== "") expect(answered[0]?.resultId).toBe(resultIdOf(commandId, true));
  });
});

test("what cannot be told yet is not handled: the record stays", async () => {
  const { handle, said } = setUp({ decode: () => Promise.reject(new Error("no registry")) });
  await expect(handle(Buffer.from([0, 0, 0, 0, 1]))).rejects.toThrow("no registry");
  expect(said).toEqual([]);
});

describe("the disguise of an unfit command", () => {
  const unfit: Unfit = {
    ok: false,
    code: "INVALID_COMMAND",
    message: "m",
    commandId: "c-1",
    operation: "ACCEPT_QUOTE",
    quoteId: "q-1",
    externalId: "e-1",
  };
  const { disguise } = refusals(() => null);

  test("keeps what places it in the journal and what its result repeats", () => {
    expect(disguise(unfit, Buffer.from("x"))?.command).toMatchObject({
      commandId: "c-1",
      request: { type: "AcceptQuote", quoteId: "q-1", externalId: "e-1" },
    });
    expect(disguise({ ...unfit, operation: "CREATE_QUOTE" }, Buffer.from("x"))?.command).toMatchObject({
      request: { type: "CreateQuote" },
    });
  });

  test.each([
    ["no commandId", { commandId: "" }],
    ["no known operation", { operation: "UNKNOWN" as const }],
    ["no quote", { quoteId: null }],
    ["a quote that cannot be one", { quoteId: " q" }],
  ])("%s: there is none", (_, over) => {
    expect(disguise({ ...unfit, ...over }, Buffer.from("x"))).toBeNull();
  });
});
