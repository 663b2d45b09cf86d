import { describe, expect, it } from "vitest";
import { deliver, type Delivery } from "../../../src/cli/deliver.ts";
import type { Io } from "../../../src/cli/io.ts";
import { PublishError } from "../../../src/kafka/produce/publish-error.ts";
import type { CommandResult } from "../../../src/records.ts";
import { UsageError } from "../../../src/runtime/errors.ts";

const ID = "0b9f0a7e-0000-4000-8000-000000000001";
const timedOut = new PublishError("timeout", "fx.commands did not acknowledge in time");
const succeeded = { commandId: ID, outcome: "SUCCEEDED" } as CommandResult;

const never = new Promise<never>(() => undefined);
const resultIs =
  (ended: Promise<CommandResult | string>, problem: string | null = null) =>
  () =>
    Promise.resolve({ ended, problem: () => problem, stop: () => Promise.resolve() });

const run = async (over: Partial<Delivery>, stopped = new AbortController().signal) => {
  const out: string[] = [];
  const err: string[] = [];
  const io: Pick<Io, "out" | "err" | "stopped"> = {
    out: (line) => out.push(line),
    err: (line) => err.push(line),
    stopped,
  };
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
  const said = "No result can come: it belongs to another command.";
  it.each<[string, Partial<Delivery>, RegExp]>([
    ["came in time", {}, new RegExp(`No result of command ${ID} .*may still come`)],
    [
      "can come: that is said at once",
      { watchResult: resultIs(Promise.resolve(said)), waitMs: 60_000 },
      /waiting for its result\.\nNo result can come: it belongs to another command\.$/,
    ],
    [
      "comes while nobody takes commands: that is said at once, and at the end",
      { hindrance: () => Promise.resolve("NOBODY TAKES COMMANDS.") },
      /^[^]*\nNOBODY TAKES COMMANDS\.\n[^]*none can come now \(NOBODY TAKES COMMANDS\.\)/,
    ],
    [
      "came, and what keeps it is not known",
      { hindrance: () => Promise.reject(new Error("Kafka does not answer")) },
      /may still come/,
    ],
    [
      "can be read",
      { watchResult: resultIs(never, "the registry does not answer") },
      new RegExp(`A result of command ${ID} came.*the registry does not answer`),
    ],
  ])("ends with 5 where none %s", async (_, over, sentence) => {
    const ended = await run({ watchResult: resultIs(never), ...over });
    expect(ended).toMatchObject({ code: 5, out: "" });
    expect(ended.err).toMatch(sentence);
  });
  it("may have no result before somebody interrupts the wait", async () => {
    const interrupt = new AbortController();
    const watchResult = resultIs(never);
    setTimeout(() => interrupt.abort(new Error("received SIGINT")), 5);
    const ended = await run({ watchResult, waitMs: 60_000 }, interrupt.signal);
    expect(ended).toMatchObject({ code: 5, out: "" });
    expect(ended.err).toContain(
      `The wait for the result of command ${ID} was interrupted: it may still come, see \`cambio-bridge watch results\`.`,
    );
    expect(ended.err).not.toContain("in time");
  });
  it("stays sent, whatever goes wrong when the wait is over", async () => {
    const stop = () => Promise.reject(new Error("the group is gone"));
    const watchResult = () =>
      Promise.resolve({ ended: Promise.resolve(succeeded), problem: () => null, stop });
    expect(await run({ watchResult })).toMatchObject({ code: 0, out: JSON.stringify(succeeded) });
  });
});

describe("a command that Kafka did not acknowledge in time", () => {
  const write = () => Promise.reject(timedOut);

  it("may have been written: that is said, with its id and how to find out", async () => {
    const { code, out, err } = await run({ write });
    expect({ code, out }).toEqual({ code: 1, out: "" });
    expect(err).toContain("may have been written");
    expect(err).toContain(`--command-id ${ID}`);
    expect(err).toContain("watch results --from-beginning");
    expect(err).not.toMatch(/could not be|was not sent/);
  });
  it("is shown to have been written by its result", async () => {
    const ended = await run({ write, watchResult: resultIs(Promise.resolve(succeeded)) });
    expect(ended).toMatchObject({ code: 0, out: JSON.stringify(succeeded) });
    expect(ended.err).toContain(ID);
  });
  it("has perhaps no result either", async () => {
    const ended = await run({ write, watchResult: resultIs(never) });
    expect(ended).toMatchObject({ code: 5, out: "" });
    expect(ended.err).toMatch(new RegExp(`may have been written.*--command-id ${ID}`));
  });
});

it("whoever is interrupted while the command is written hears its id, and that it may have been written", async () => {
  const interrupt = new AbortController();
  const write = (): Promise<void> => {
    interrupt.abort(new Error("received SIGINT"));
    return never;
  };
  const ended = await run({ write }, interrupt.signal);
  expect(ended).toMatchObject({ code: 1, out: "" });
  expect(ended.err).toMatch(new RegExp(`may have been written.*--command-id ${ID}`));
});

describe("a command that was certainly not written", () => {
  const reasons = [
    new PublishError("refused", "fx.commands takes no record of this size"),
    new UsageError("Topic fx.commands does not exist: run `cambio-bridge setup`."),
    new Error("the registry does not answer"),
  ];
  it.each(reasons)("says so: %s", async (reason) => {
    for (const over of [
      { write: () => Promise.reject(reason) },
      { watchResult: () => Promise.reject(reason) },
    ]) {
      const { code, out, err } = await run(over);
      expect({ code, out }).toEqual({ code: 1, out: "" });
      expect(err).toContain(`Command ${ID} was not sent`);
      expect(err).toContain(reason.message);
      expect(err).not.toContain("..");
    }
  });
});
