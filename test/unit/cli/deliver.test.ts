import { describe, expect, it } from "vitest";
import { deliver, type Delivery } from "../../../src/cli/deliver.ts";
import { PublishError } from "../../../src/kafka/produce/publish-error.ts";
import type { CommandResult } from "../../../src/records.ts";
import { UsageError } from "../../../src/runtime/errors.ts";

const ID = "0b9f0a7e-0000-4000-8000-000000000001";
const timedOut = new PublishError("timeout", "fx.commands did not acknowledge in time");
const succeeded = { commandId: ID, outcome: "SUCCEEDED" } as CommandResult;

const never = new Promise<never>(() => undefined);
const resultIs = (ended: Promise<CommandResult | string>) => () =>
  Promise.resolve({ ended, stop: () => Promise.reject(new Error("the group is gone")) });

const run = async (over: Partial<Delivery>, stopped = new AbortController().signal) => {
  const out: string[] = [];
  const err: string[] = [];
  const io = { out: (line: string) => out.push(line), err: (line: string) => err.push(line), stopped };
  const delivery = {
    ...{ commandId: ID, write: () => Promise.resolve(), watchResult: null },
    ...{ hindrance: () => Promise.resolve(null), waitMs: 20, print: null, ...over },
  };
  const code = await deliver(io, delivery).catch((error: unknown) => {
    expect(error).toBeInstanceOf(UsageError);
    err.push((error as Error).message);
    return 1;
  });
  return { code, out: out.join("\n"), err: err.join("\n") };
};

describe("a command that Kafka acknowledged", () => {
  it("is named", async () => {
    expect(await run({})).toEqual({ code: 0, out: ID, err: "" });
  });
  it.each([
    ["SUCCEEDED", 0],
    ["REJECTED", 3],
    ["FAILED", 3],
    ["IN_DOUBT", 4],
  ] as const)("ends as its result says: %s, %i", async (outcome, code) => {
    const result = { ...succeeded, outcome };
    const ended = await run({ watchResult: resultIs(Promise.resolve(result)) });
    expect(ended).toMatchObject({ code, out: JSON.stringify(result) });
    expect(ended.err).toContain(ID);
  });
  it("shows one member of its result as plain text, for scripts", async () => {
    const watchResult = resultIs(Promise.resolve({ ...succeeded, quoteId: "q-1", transactionId: null }));
    expect(await run({ watchResult, print: "quoteId" })).toMatchObject({ code: 0, out: "q-1" });
    expect(await run({ watchResult, print: "transactionId" })).toMatchObject({ code: 0, out: "" });
  });
  it.each<[string, Partial<Delivery>, RegExp]>([
    ["came in time", {}, new RegExp(`No result of command ${ID} came in time: it may still come`)],
    [
      "can come: that is said at once",
      { watchResult: resultIs(Promise.resolve("No result can come.")), waitMs: 60_000 },
      /\nNo result can come\.$/,
    ],
    [
      "comes while nobody takes commands",
      { hindrance: () => Promise.resolve("NOBODY TAKES COMMANDS.") },
      /none can come now \(NOBODY TAKES COMMANDS\.\)/,
    ],
    [
      "came, and what keeps it is not known",
      { hindrance: () => Promise.reject(new Error("Kafka does not answer")) },
      /may still come/,
    ],
  ])("ends with 5 where none %s", async (_, over, sentence) => {
    const ended = await run({ watchResult: resultIs(never), ...over });
    expect(ended).toMatchObject({ code: 5, out: "" });
    expect(ended.err).toMatch(sentence);
  });
  it("may have no result before somebody interrupts the wait", async () => {
    const interrupt = new AbortController();
    setTimeout(() => interrupt.abort(new Error("received SIGINT")), 5);
    const ended = await run({ watchResult: resultIs(never), waitMs: 60_000 }, interrupt.signal);
    expect(ended).toMatchObject({ code: 5, out: "" });
    expect(ended.err).toMatch(/interrupted: it may still come/);
  });
});

describe("a command that Kafka did not acknowledge in time", () => {
  const write = () => Promise.reject(timedOut);
  const said = new RegExp(`may have been written.*--command-id ${ID}.*watch results --from-beginning`);

  it("may have been written: that is said, with its id and how to find out", async () => {
    const { code, out, err } = await run({ write });
    expect({ code, out }).toEqual({ code: 1, out: "" });
    expect(err).toMatch(said);
    expect(err).not.toMatch(/could not be|was not sent/);
    const waiting = await run({ write, watchResult: resultIs(never) });
    expect(waiting).toMatchObject({ code: 5, out: "", err: expect.stringMatching(said) as string });
  });
  it("is shown to have been written by its result", async () => {
    const ended = await run({ write, watchResult: resultIs(Promise.resolve(succeeded)) });
    expect(ended).toMatchObject({ code: 0, out: JSON.stringify(succeeded) });
  });
  it("hears the same, whoever interrupts it while it is written", async () => {
    const interrupt = new AbortController();
    const hanging = (): Promise<void> => {
      interrupt.abort(new Error("received SIGINT"));
      return never;
    };
    const ended = await run({ write: hanging }, interrupt.signal);
    expect(ended).toMatchObject({ code: 1, out: "", err: expect.stringMatching(said) as string });
  });
});

it.each([
  new PublishError("refused", "fx.commands takes no record of this size"),
  new UsageError("Topic fx.commands does not exist: run `cambio-bridge setup`."),
  new Error("the registry does not answer"),
])("a command that was certainly not written says so: %s", async (reason) => {
  for (const over of [
    { write: () => Promise.reject(reason) },
    { watchResult: () => Promise.reject(reason) },
  ]) {
    const { code, out, err } = await run(over);
    expect({ code, out }).toEqual({ code: 1, out: "" });
    expect(err).toContain(`Command ${ID} was not sent: ${reason.message.replace(/\.$/, "")}.`);
  }
});
