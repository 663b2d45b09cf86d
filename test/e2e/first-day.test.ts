import { createServer } from "node:http";
import { expect, onTestFinished, test } from "vitest";
import { freePort } from "../../dev/cluster/ports.mjs";
import { decode } from "../support/avro.ts";
import { eventually } from "../support/eventually.ts";
import { commandsOfStage, settingsOfStage } from "../support/first-day.ts";
import { listen } from "../support/listen.ts";
import type { Replica } from "../support/replica.ts";
import { decodeResult, type Result } from "../support/result.ts";
import { serveSettings, type Settings } from "../support/settings.ts";
import { openTestWorld, type World } from "../support/world.ts";

type Stage = "a" | "b" | "c" | "d";
/** The settings of all stages up to this one: the page adds some with each. */
const settingsUntil = (stage: Stage): Settings =>
  Object.assign({}, ...["a", "b", "c", "d"].filter((each) => each <= stage).map(settingsOfStage)) as Settings;

/** A person who follows the page: one bridge at a time, with the settings of the stage. */
const followPage = (world: World) => {
  let bridge: Replica | undefined;
  const run = async (...args: string[]) => world.run(args, settingsUntil("c"));
  const done = async (...args: string[]): Promise<string> => {
    const { code, out, err } = await run(...args);
    expect(code, err).toBe(0);
    return out;
  };
  return {
    run,
    done,
    goTo: async (stage: Stage, more: Settings = {}): Promise<void> => {
      await bridge?.stop();
      bridge = await world.startReady({ ...settingsUntil(stage), ...more });
    },
    /** Two people say it: the one who proposed it may not confirm it. */
    endDoubt: async (commandId: string, as: "succeeded" | "not-executed"): Promise<string> => {
      const decision = ["--as", as, "--note", "the partner says so"];
      const { code, err } = await run("resolve", commandId, ...decision, "--by", "ana", "--force");
      expect(code, err).toBe(3);
      const confirm = ["resolve", "--confirm", /^REF (\S+)/m.exec(err)?.[1] ?? "", ...decision];
      expect(await run(...confirm, "--by", "ana")).toMatchObject({ code: 1 });
      return done(...confirm, "--by", "ben");
    },
    resultOf: async (...args: string[]): Promise<Result> => {
      const { out, err } = await run("send", ...args, "--wait");
      expect(out, err).toMatch(/^\{/m);
      return JSON.parse(out.slice(out.indexOf("{"))) as Result;
    },
    stateOf: async (settings: Settings): Promise<Map<string, string>> => {
      const { out } = await world.run(["doctor", "--first-day", "--json"], settings);
      const rows = out
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line) as { settings: string; now: string });
      return new Map(rows.flatMap((row) => row.settings.split(", ").map((name) => [name, row.now])));
    },
  };
};

type State = { quotes: { quoteId: string; expiresAt: string | number }[] };

const CREATE = "create-quote --direction OUTBOUND --purpose COMEX --base USD --quoted BRL".split(" ");
const accept = (quoteId: string | null, ...more: string[]): string[] => [
  ...`accept-quote --quote-id ${quoteId ?? "none"} --counterparty-id cp-1 --amount 50.00`.split(" "),
  ...more,
];
const today = (): string => new Date(Date.now() - 3 * 3_600_000).toISOString().slice(0, 10);

test("the page leads from reading to accepts, and back, against the sandbox", async () => {
  const webhookPort = String(await freePort());
  // A quote lives for 20 s.
  const world = await openTestWorld({
    settings: serveSettings,
    sandboxArgs: ["--time-scale", "4320", "--step", "30m"],
  });
  const { run, done, endDoubt, resultOf, stateOf, ...page } = followPage(world);
  const goTo = (stage: Stage) => page.goTo(stage, { WEBHOOK_PORT: webhookPort });
  const events = await world.follow([world.topics.events]);
  const statuses = (transactionId: string | null): unknown[] =>
    events
      .of(world.topics.events)
      .filter(({ key }) => key === transactionId)
      .map(({ value }) => (decode("transaction-status-updated", value) as { status: string }).status);

  // (a) Read what comes.
  for (const command of commandsOfStage("a")) await done(...command);
  await goTo("a");
  await done("subscribe", "--url", `http://127.0.0.1:${webhookPort}/webhooks/transaction-status`);
  await world.sandbox("/_sandbox/transactions", { transactionId: "tx-of-others" });
  await eventually(() => statuses("tx-of-others").includes("TRANSACTION_COMPLETED"), "its events", 30_000);
  const report = await done("reconcile", "--from", today(), "--to", today());
  expect(report).toMatch(/^result: complete$/m);
  expect(report).toMatch(/^(known|published): [1-9]/m);
  expect(await world.read(world.topics.deadLetters)).toEqual([]);

  // (b) Creates only.
  for (const command of commandsOfStage("b")) await done(...command);
  await goTo("b");
  const old = await resultOf(...CREATE, "--amount", "50.00");
  expect(old).toMatchObject({ outcome: "SUCCEEDED", quoteId: expect.stringMatching(/./) as string });
  expect(await done("status")).toContain("WARNING: Accepts are paused.");
  const waiting = await resultOf(...accept(old.quoteId, "--expires-in", "1s"));
  expect(waiting).toMatchObject({ outcome: "REJECTED", error: { code: "COMMAND_EXPIRED" } });
  // Back, and on again.
  await goTo("a");
  await goTo("b");
  expect(await world.executions()).toBe(0);

  // (c) Accepts, one at a time.
  const states = await stateOf(settingsUntil("c"));
  for (const name of ["COMMANDS_MAX_AMOUNT", ...Object.keys(settingsOfStage("c"))])
    expect(states.get(name), name).toBe("tight");
  await goTo("c");
  const [resume = [], create = [], send = []] = commandsOfStage("c");
  await done(...resume);
  const tooLarge = await run("send", ...CREATE, "--amount", "100.01");
  expect(tooLarge).toMatchObject({ code: 2, err: expect.stringContaining("COMMANDS_MAX_AMOUNT") as string });
  const { quoteId } = await resultOf(...create.slice(1));
  const first = await resultOf(
    ...send.slice(1).map((word) => (word === "QUOTE_ID" ? String(quoteId) : word)),
  );
  expect(first).toMatchObject({ outcome: "SUCCEEDED", transactionId: expect.stringMatching(/./) as string });
  await eventually(
    () => statuses(first.transactionId).includes("TRANSACTION_COMPLETED"),
    "its events",
    30_000,
  );
  expect(await world.executions(String(quoteId))).toBe(1);

  await eventually(
    async () => {
      const { quotes } = await world.sandbox<State>("/_sandbox/state?only=quotes");
      return quotes.some(
        (quote) => quote.quoteId === old.quoteId && new Date(quote.expiresAt).getTime() < Date.now(),
      );
    },
    "the first quote to expire",
    30_000,
  );
  const expired = await resultOf(...accept(old.quoteId, "--command-id", "expired"));
  expect(expired).toMatchObject({ outcome: "IN_DOUBT" });
  expect(await endDoubt("expired", "not-executed")).toContain('"FAILED"');

  // A surprise.
  await world.sandbox("/_sandbox/faults", { operation: "accept", kind: "reset", when: "after", count: 1 });
  const [lost, next] = [
    await resultOf(...CREATE, "--amount", "50.00"),
    await resultOf(...CREATE, "--amount", "50.00"),
  ];
  expect(await resultOf(...accept(lost.quoteId))).toMatchObject({ outcome: "IN_DOUBT" });
  await done("send", ...accept(next.quoteId));
  await eventually(
    async () => expect(await done("status")).toContain("accepts pause since"),
    "status",
    30_000,
  );
  expect(await resultOf(...CREATE, "--amount", "50.00")).toMatchObject({ outcome: "SUCCEEDED" });
  expect(await world.sandbox("/_sandbox/executions")).toMatchObject({ executions: 2, executedTwice: [] });

  // (d) Loosen. What waited goes on with a bridge that may accept again.
  await goTo("d");
  await eventually(
    async () => expect(await world.executions(String(next.quoteId))).toBe(1),
    "the next",
    30_000,
  );
  expect(await world.sandbox("/_sandbox/executions")).toMatchObject({ executions: 3, executedTwice: [] });
});

/** A partner of whose answers nobody knew: its own names, money in strings, pages where JSON was expected. */
const startStranger = async () => {
  const accepts = new Map<string, number>();
  const answers: [status: number, type: string, body: string][] = [];
  let created = 0;
  const server = createServer((request, response) => {
    const [, quoteId] = /\/quote\/([^/]+)\/accept$/.exec(request.url ?? "") ?? [];
    const cotacao = `{"codigo":"C-${created + 1}","taxa":"5,4321","valor":"1.000,00"}`;
    request.resume().on("end", () => {
      if (request.method === "POST") created += 1;
      if (quoteId !== undefined) accepts.set(quoteId, (accepts.get(quoteId) ?? 0) + 1);
      const inTurn = quoteId === undefined ? undefined : answers.shift();
      const [status, type, body] = inTurn ?? [200, "application/json", `{"cotacao":${cotacao}}`];
      response.writeHead(status, { "content-type": type }).end(body);
    });
  });
  const url = `http://${await listen(server)}`;
  onTestFinished(() => void server.close());
  return { url, accepts, answers };
};

test("a partner that answers as nobody foresaw is paid once, and each surprise leads to a setting of the page", async () => {
  const partner = await startStranger();
  const settings = { ...serveSettings, PARTNER_BASE_URL: partner.url };
  const world = await openTestWorld({ settings });
  const { done, endDoubt, goTo, resultOf } = followPage(world);
  const results = await world.follow([world.topics.results]);
  const create = () => resultOf(...CREATE, "--amount", "50.00");

  await goTo("c");
  expect(await create()).toMatchObject({ outcome: "SUCCEEDED", quoteId: null });
  await goTo("c", {
    PARTNER_QUOTE_ID_POINTER: "/cotacao/codigo",
    PARTNER_TRANSACTION_ID_POINTER: "/operacao/numero",
    PARTNER_FAILED_WHEN: "/sucesso=nao",
    PARTNER_RESULT_FIELDS: "rate=/cotacao/taxa,amount=/cotacao/valor,received=/operacao/valor",
  });
  const quotes = [await create(), await create(), await create()];
  expect(quotes.map(({ quoteId }) => quoteId)).toEqual(["C-2", "C-3", "C-4"]);
  expect(quotes[0]).toMatchObject({ fields: { rate: "5,4321", amount: "1.000,00" } });

  // The proxy's page is a surprise: it is said, and no other accept starts until people have resolved the doubt.
  partner.answers.push([422, "text/html", "<h1>Cota&ccedil;&atilde;o</h1>"]);
  expect(await resultOf(...accept("C-2", "--command-id", "first"))).toMatchObject({ outcome: "IN_DOUBT" });
  await done("send", ...accept("C-3", "--command-id", "second"));
  expect(await create()).toMatchObject({ quoteId: "C-5" });
  expect(Object.fromEntries(partner.accepts)).toEqual({ "C-2": 1 });
  expect(await done("status")).toContain("because one is in doubt");

  partner.answers.push([
    200,
    "application/json",
    '{"operacao":{"numero":77,"valor":"1.234,50"},"situacao":"ok"}',
  ]);
  await endDoubt("first", "succeeded");
  const [paid] = await results.until(
    world.topics.results,
    (record) => decodeResult(record).commandId === "second",
  );
  expect(decodeResult(paid!)).toMatchObject({ transactionId: "77", fields: { received: "1.234,50" } });
  partner.answers.push([200, "application/json", '{"sucesso":"nao"}']);
  expect(await resultOf(...accept("C-4"))).toMatchObject({
    outcome: "IN_DOUBT",
    error: { code: "ANSWER_UNCLEAR" },
  });
  expect(Object.fromEntries(partner.accepts)).toEqual({ "C-2": 1, "C-3": 1, "C-4": 1 });
});
