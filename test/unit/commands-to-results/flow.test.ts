import { describe, expect, test } from "vitest";
import { checkFor } from "../../../src/commands-to-results/check.ts";
import {
  commandsToResults,
  type CommandPorts,
  type CommandRecord,
} from "../../../src/commands-to-results/flow.ts";
import type { PreparedCommand, Settled, Slot } from "../../../src/commands-to-results/accept-once/ports.ts";
import { readCommand, type DecodeCommand } from "../../../src/commands-to-results/read-command.ts";
import type { CommandResult } from "../../../src/records.ts";
import { NOW } from "./commands.ts";

const never = new AbortController().signal;
const signals = { stop: never, cut: never, abandon: never };
const place: Slot = { isHeld: () => true, leave: () => undefined, take: () => Promise.resolve() };
const known = { commandId: "from the journal" } as CommandResult;
const noAvro: DecodeCommand = () => ({ ok: false, detail: "no Avro here" });

type Over = Partial<CommandPorts> & { settled?: Settled; decode?: DecodeCommand; currencies?: string[] };

const setUp = (over: Over = {}) => {
  const said: string[] = [];
  const executed: PreparedCommand[] = [];
  const answered: CommandResult[] = [];
  const ports: CommandPorts = {
    read: readCommand({
      check: checkFor({ purposes: [], currencies: over.currencies ?? [] }),
      decode: over.decode ?? noAvro,
    }),
    execute: (item) => {
      said.push("execute");
      executed.push(item);
      return Promise.resolve(over.settled ?? known);
    },
    publish: (result) => {
      said.push("answer");
      answered.push(result);
      return Promise.resolve();
    },
    retry: (effect) => effect().catch(() => ports.retry(effect, never)),
    park: (_, reason) => {
      said.push(`park ${reason}`);
      return Promise.resolve();
    },
    now: () => NOW,
    ...over,
  };
  const flow = commandsToResults(ports);
  const handle = (
    value: string | Buffer | null,
    more: Partial<CommandRecord> = {},
    slot = place,
    stop = never,
  ) =>
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
      { ...signals, stop },
      slot,
    );
  return { handle, said, executed, answered };
};
const identified = (commandId: string, operation: string): unknown =>
  expect.objectContaining({ commandId, operation });
const json = (over: object = {}): string =>
  JSON.stringify({
    commandId: "c-1",
    request: { type: "AcceptQuote", quoteId: "Q-1", counterpartyId: "cp-1", ...over },
  });

describe("a command that cannot be read", () => {
  test.each([
    ["a tombstone", null],
    ["nothing", ""],
    ["no Avro", "\x01\x02"],
    ["an array", "[1]"],
    ["broken JSON", '{"commandId":,'],
  ])("%s is parked first, then answered under its place", async (_, value) => {
    const { handle, said, answered } = setUp();
    const handled = await handle(value);
    const [result] = answered;
    const identity = identified("", "UNKNOWN");
    expect(handled).toEqual({ identity, result, deadLettered: "UNREADABLE_COMMAND" });
    expect(said).toEqual(["park UNREADABLE_COMMAND", "answer"]);
    const refused = { outcome: "REJECTED", final: true, error: { code: "UNREADABLE_COMMAND" }, attempts: 0 };
    expect(result).toMatchObject({ commandId: "", operation: "UNKNOWN", ...refused });
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

  test("is parked once, and keeps no slot, however often its result is refused", async () => {
    const said: string[] = [];
    const publish = (): Promise<void> =>
      said.push("answer") < 4 ? Promise.reject(new Error("no results")) : Promise.resolve();
    const slot = { ...place, leave: () => void said.push("leave") };
    const { handle, said: parked } = setUp({ publish });
    await handle(null, {}, slot);
    expect([parked, said]).toEqual([["park UNREADABLE_COMMAND"], ["leave", "answer", "answer", "answer"]]);
  });

  test("is answered once it is parked, also where the process stops meanwhile", async () => {
    const stop = new AbortController();
    const park = (): Promise<void> => {
      stop.abort(new Error("the process stops"));
      return Promise.resolve();
    };
    const { handle, said } = setUp({ park });
    expect(await handle(null, {}, place, stop.signal)).toMatchObject({ deadLettered: "UNREADABLE_COMMAND" });
    expect(said).toEqual(["answer"]);
  });

  test("is not answered when it cannot be parked", async () => {
    const { handle, said } = setUp({ park: () => Promise.reject(new Error("no dead letters")) });
    await expect(handle(null)).rejects.toThrow("no dead letters");
    expect(said).toEqual([]);
  });
});

describe("a command that cannot be read, but says its commandId", () => {
  const broken = '{"commandId":"c-9",';

  test("goes to the journal under its commandId, then is parked", async () => {
    const { handle, said, executed } = setUp();
    const identity = identified("c-9", "UNKNOWN");
    expect(await handle(broken)).toEqual({ identity, result: known, deadLettered: "UNREADABLE_COMMAND" });
    expect(said).toEqual(["execute", "park UNREADABLE_COMMAND"]);
    expect(executed[0]).toMatchObject({
      ref: { operation: "CREATE_QUOTE", key: "c-9", commandId: "c-9" },
      identity: { commandId: "c-9", operation: "UNKNOWN" },
      work: { kind: "refuse", verdict: { outcome: "REJECTED", error: { code: "UNREADABLE_COMMAND" } } },
      envelope: { origin: { topic: "t", partition: 3, offset: 42 } },
    });
  });

  test("does not take bytes for letters: a commandId beyond ASCII is read as UTF-8, or not at all", async () => {
    const { handle, executed, answered } = setUp();
    const bytes = (id: Buffer) =>
      Buffer.concat([Buffer.from('{"commandId":"'), id, Buffer.from('","x":"'), Buffer.from([0xff])]);
    await handle(bytes(Buffer.from("ç-1")));
    expect(executed[0]?.identity.commandId).toBe("ç-1");
    await handle(bytes(Buffer.from([0xe7])));
    expect(answered[0]?.commandId).toBe("");
  });
});

describe("a command that breaks a rule", () => {
  test.each([
    ["an unknown field", json({ ammount: "1" }), "ACCEPT_QUOTE"],
    ["an unknown type", '{"commandId":"c-1","request":{"type":"DropQuote"}}', "UNKNOWN"],
  ])("%s: goes to the journal under its commandId, to be refused there", async (_, value, operation) => {
    const { handle, said, executed } = setUp();
    await handle(value);
    expect(said).toEqual(["execute"]);
    expect(executed[0]).toMatchObject({
      ref: { operation: "CREATE_QUOTE", key: "c-1", commandId: "c-1" },
      identity: { operation },
      work: { kind: "refuse", verdict: { outcome: "REJECTED", error: { code: "INVALID_COMMAND" } } },
      envelope: { origin: null },
    });
  });

  test("has another content than any valid one, so that a reused id shows", async () => {
    const { handle, executed } = setUp();
    for (const value of [json(), json({ ammount: "1" }), json({ ammount: "2" })]) await handle(value);
    expect(new Set(executed.map(({ requestHash }) => requestHash)).size).toBe(3);
  });

  test("has the same content after a setting made it valid, so that it gets its result again", async () => {
    const request = { type: "CreateQuote", direction: "OUTBOUND", purpose: "COMEX", quotedAmount: "1" };
    const currencies = { baseCurrencyIso: "JPY", quotedCurrencyIso: "BRL" };
    const value = JSON.stringify({ commandId: "c-1", request: { ...request, ...currencies } });
    const before = setUp();
    const after = setUp({ currencies: ["JPY"] });
    await before.handle(value);
    await after.handle(value);
    expect(before.executed[0]?.work.kind).toBe("refuse");
    expect(after.executed[0]?.work.kind).toBe("call");
    expect(after.executed[0]?.ref).toEqual(before.executed[0]?.ref);
    expect(after.executed[0]?.requestHash).toBe(before.executed[0]?.requestHash);
  });

  test("without a commandId it is answered at once, under its place", async () => {
    const { handle, said, answered } = setUp();
    const value = '{"request":{"type":"AcceptQuote","quoteId":"q","counterpartyId":"c"}}';
    const handled = await handle(value);
    const [result] = answered;
    expect(handled).toEqual({ identity: identified("", "ACCEPT_QUOTE"), result, deadLettered: null });
    expect(said).toEqual(["answer"]);
    expect(result).toMatchObject({ outcome: "REJECTED", error: { code: "INVALID_COMMAND" } });
  });
});

test("what cannot be told yet is not handled: the record stays", async () => {
  const { handle, said } = setUp({ decode: () => Promise.reject(new Error("no registry")) });
  await expect(handle(Buffer.from([0, 0, 0, 0, 1]))).rejects.toThrow("no registry");
  expect(said).toEqual([]);
});

describe("a command whose schema the registry is asked for", () => {
  const avro = Buffer.from([0, 0, 0, 0, 1]);
  const slotOf = (said: string[]): Slot => ({
    isHeld: () => true,
    leave: () => void said.push("leave"),
    take: () => {
      said.push("take");
      return Promise.resolve();
    },
  });

  test("waits without a slot, and has one again when it is known", async () => {
    let answer = (): void => undefined;
    const decode: DecodeCommand = () =>
      new Promise((resolve) => (answer = () => resolve({ ok: false, detail: "unknown" })));
    const { handle, said } = setUp({ decode });
    const handling = handle(avro, {}, slotOf(said));
    await Promise.resolve();
    expect(said).toEqual(["leave"]);
    answer();
    await handling;
    expect(said).toEqual(["leave", "take", "park UNREADABLE_COMMAND", "leave", "answer"]);
  });

  test("ends at once when the process stops, and nothing is said of it", async () => {
    const { handle, said } = setUp({ decode: () => new Promise(() => undefined) });
    const stop = new AbortController();
    const handling = handle(avro, {}, slotOf(said), stop.signal);
    stop.abort(new Error("the process stops"));
    await expect(handling).rejects.toThrow("the process stops");
    expect(said).toEqual(["leave"]);
  });
});
