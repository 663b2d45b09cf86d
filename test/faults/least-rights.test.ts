import { randomUUID } from "node:crypto";
import { expect, it } from "vitest";
import { signInSettings, startConsole } from "../support/console-program.ts";
import { examine } from "../support/doctor.ts";
import { AT_ONCE_MS, writeDoubts } from "../support/doubts.ts";
import { eventually } from "../support/eventually.ts";
import { endTotal } from "../support/kafka.ts";
import { CERTIFICATE_USER, securedBrokers, type Right } from "../support/secured-brokers.ts";
import type { Names } from "../support/settings.ts";
import { decodeResult, finalOf } from "../support/result.ts";
import { onAllBrokers } from "../support/three-brokers.ts";
import { openTestWorld, type World } from "../support/world.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const { kafka, allow, byScram, byCertificate } = securedBrokers();

const onTopics = (names: readonly string[], ...may: Right["may"]): Right[] =>
  names.map((name) => ({ of: "TOPIC", name, may }));
const onGroups = (groupId: string, ...may: Right["may"]): Right[] =>
  [groupId, `${groupId}-reconcile`].map((name) => ({ of: "GROUP", name, may }));

/** As docs/security.md has them, "Rights in Kafka", and no more. */
const rights = {
  serve: ({ topics, groupId }: Names): Right[] => [
    ...onTopics(Object.values(topics), "DESCRIBE"),
    ...onTopics([topics.commands, topics.journal, topics.events, topics.control], "READ"),
    ...onTopics([topics.events, topics.results, topics.journal, topics.deadLetters], "WRITE"),
    ...onGroups(groupId, "READ"),
  ],
  setup: ({ topics }: Names): Right[] => onTopics(Object.values(topics), "CREATE", "DESCRIBE"),
  sender: ({ topics }: Names): Right[] => [
    ...onTopics([topics.commands], "WRITE"),
    ...onTopics([topics.results], "READ"),
  ],
  operator: ({ topics, groupId }: Names): Right[] => [
    ...onTopics([topics.control], "READ", "WRITE"),
    ...onTopics([topics.audit], "READ", "WRITE"),
    ...onTopics([topics.journal], "READ"),
    ...onTopics([topics.commands, topics.events, topics.deadLetters], "DESCRIBE"),
    ...onGroups(groupId, "DESCRIBE"),
  ],
  doubtReader: ({ topics }: Names): Right[] => [...onTopics([topics.journal], "READ")],
  resolver: ({ topics }: Names): Right[] => [
    ...onTopics([topics.journal, topics.results, topics.audit], "READ", "WRITE"),
  ],
  replayer: ({ topics }: Names): Right[] => [
    ...onTopics([topics.deadLetters], "READ"),
    ...onTopics([topics.audit, topics.events], "READ", "WRITE"),
    ...onTopics([topics.commands], "WRITE"),
  ],
  viewer: ({ topics, groupId }: Names): Right[] => [
    ...onTopics(Object.values(topics), "DESCRIBE", "READ"),
    ...onGroups(groupId, "DESCRIBE"),
  ],
};

const opened = async (): Promise<World> => {
  const world = await openTestWorld({
    cluster: kafka.cluster(),
    setUp: false,
    settings: { ...onAllBrokers, RECONCILE_MIN_AGE: "1s", RECONCILE_EVERY: "2s" },
  });
  await allow("setup", rights.setup(world));
  const { code, err } = await world.run(["setup"], await byScram("setup"));
  expect(err).toBe("");
  expect(code).toBe(0);
  return world;
};

const NOTIFICATION = JSON.stringify({
  transactionId: "tx-1",
  status: "AWAITING_PAYMENT",
  createdAt: "2026-11-21T12:00:00Z",
});
const webhook = (url: string, body = NOTIFICATION): Promise<number> =>
  fetch(url, { method: "POST", body }).then(({ status }) => status);

const QUOTE = "--direction OUTBOUND --purpose COMEX --amount 1 --base USD --quoted BRL".split(" ");
const BY = ["--by", "ana", "--note", "test"];

it.each([
  ["SCRAM and a client certificate", "serve", () => byScram("serve")],
  ["a client certificate alone", CERTIFICATE_USER, byCertificate],
])("serves with the rights that are written down and no others: %s", async (_, user, settings) => {
  const world = await opened();
  await allow(user, rights.serve(world));
  const replica = await world.startReady(await settings());
  expect(await webhook(replica.webhookUrl)).toBe(200);

  await allow("sender", rights.sender(world));
  const sent = await world.run(["send", "create-quote", ...QUOTE, "--wait"], await byScram("sender"));
  expect(sent.err).toMatch(/^Sent command [^\n]*\n$/);
  expect(JSON.parse(sent.out.slice(sent.out.indexOf("{")))).toMatchObject({ operation: "CREATE_QUOTE" });

  await allow("operator", rights.operator(world));
  const operator = await byScram("operator");
  for (const args of [["pause", "commands", ...BY], ["status"], ["resume", "commands", ...BY]])
    expect(await world.run(args, operator), args.join(" ")).toMatchObject({ code: 0, err: "" });

  const complete = (text: string): boolean => text.includes('"reconcile.complete"');
  await replica.untilLine(complete, "a complete run over the partner's log");
  expect(await replica.stop()).toBe(0);
  // The next leader begins with the note that the last one left in Kafka.
  const next = await world.startReplica(await settings());
  await next.untilLine(complete, "a complete run of the next leader");
  expect(await next.stop()).toBe(0);

  for (const { lines } of [replica, next]) {
    const written = (await lines()).join("\n");
    expect(written).not.toMatch(/authoriz/i);
    expect(written).not.toContain("password-of-");
  }
});

it("lets people act with the rights that are written down and no others", async () => {
  const world = await opened();
  const { brokers, topics } = world;
  for (const user of ["serve", "doubtReader", "resolver", "replayer", "viewer"] as const)
    await allow(user, rights[user](world));

  await writeDoubts(world, "by-command", AT_ONCE_MS, randomUUID());
  await writeDoubts(world, "by-console", AT_ONCE_MS, randomUUID());
  const doubts = await world.run(["doubts"], await byScram("doubtReader"));
  expect(doubts.code).toBe(0);
  expect(doubts.out).toMatch(/^\S+ {2}by-command .*\n\S+ {2}by-console .*\n$/);
  const asNotExecuted = ["--as", "not-executed", ...BY];
  const resolved = await world.run(["resolve", "by-command", ...asNotExecuted], await byScram("resolver"));
  expect(resolved.code).toBe(0);
  expect(resolved.err).toMatch(/^Command by-command is resolved: FAILED\. Durable at [^\n]+\n$/m);
  expect(JSON.parse(resolved.out)).toMatchObject({ outcome: "FAILED", decidedBy: "OPERATOR" });

  await world.produce(topics.commands, [{ key: "k", value: "no command" }]);
  const replica = await world.startReady(await byScram("serve"));
  expect(await webhook(replica.webhookUrl, "no notification")).toBe(200);
  const replayer = await byScram("replayer");
  const listed = await eventually(
    async () => {
      const { out } = await world.run(["dead-letters", "list"], replayer);
      return out.trimEnd().split("\n").length === 2 && out;
    },
    "two dead letters",
    30_000,
  );
  expect(listed).toContain("UNREADABLE_COMMAND");
  // What cannot be read yet is not sent again: the plan says so.
  const replayed = await world.run(
    ["dead-letters", "replay", "--reason", "UNREADABLE_COMMAND", ...BY],
    replayer,
  );
  expect(replayed).toMatchObject({ code: 0 });
  expect(await endTotal(brokers, topics.commands)).toBe(2);

  const told = await world.run(["story", "by-command"], await byScram("viewer"));
  expect(told.code).toBe(0);
  expect(told.out).toMatch(/^command by-command: Result: FAILED/);

  const signIn = await signInSettings(temporaryFolder());
  const viewer = await byScram("viewer");
  const shown = await startConsole(world, { ...viewer, ...signIn });
  const page = await shown.doubtPage("by-console", "ana");
  const refused = await shown.post("/doubt", shown.saying(page, "succeeded"), "ana");
  expect(refused.text).not.toContain(`${topics.results}[`);
  for (const path of ["/", "/doubts", "/dead-letters", "/audit"])
    expect((await shown.get(path, "ana")).status, path).toBe(200);

  // A viewer's rights and those of `resolve` together: the console acts.
  await allow("viewer", rights.resolver(world));
  await eventually(
    async () => {
      // Brokers learn of the new rights one after the other. A POST that takes long says so, and its work goes on.
      const { text } = await shown.get("/doubt?command=by-console", "ana");
      if (text.includes("Resolve the doubt"))
        await shown.post("/doubt", shown.saying(text, "succeeded"), "ana");
      const results = (await world.read(topics.results)).map(decodeResult);
      const final = finalOf(results.filter(({ commandId }) => commandId === "by-console"));
      return final?.outcome === "SUCCEEDED";
    },
    "the end of the doubt",
    60_000,
  );
  expect(await shown.program.stop()).toBe(0);
});

it("doctor names each right that is missing, and none with the least ones that are written down", async () => {
  const world = await opened();
  const { topics, groupId } = world;
  const user = await byScram("doctor");
  const eachBroker = (said: string): unknown[] =>
    kafka.all().map(() => expect.stringMatching(said) as unknown);
  const wrong = await examine(world, { ...user, KAFKA_SASL_PASSWORD: "wrong-one" });
  const noMechanism = { KAFKA_SASL_MECHANISM: "", KAFKA_SASL_PASSWORD: "", KAFKA_SASL_USERNAME: "" };
  const none = await examine(world, { ...user, ...noMechanism });
  for (const [{ of }, mechanism] of [
    [wrong, "scram-sha-512"],
    [none, "none"],
  ] as const)
    expect(of("kafka")).toEqual(
      eachBroker(`^fail .*: it does not let us in.*KAFKA_SASL_MECHANISM \\(${mechanism}\\)`),
    );
  expect(wrong.lines.join()).not.toContain("wrong-one");

  const without = await examine(world, user);
  expect(without.of("kafka")).toEqual(eachBroker("^ok .*accepts the sign-in"));
  for (const said of [
    ...Object.values(topics).map((topic) => `topic ${topic}: this user may not`),
    ...[groupId, `${groupId}-reconcile`].map((group) => `group ${group}: .*grant Read on it`),
  ])
    expect(without.of("rights")).toContainEqual(expect.stringMatching(`^fail rights ${said}`));
  expect(without.of("topics").join()).not.toContain("does not exist");

  await allow(
    "doctor",
    rights.serve(world).filter(({ name, may }) => name !== topics.events || may[0] !== "WRITE"),
  );
  await allow("doctor", onTopics([topics.audit], "WRITE"));
  // Brokers learn of the new rights one after the other.
  await eventually(
    async () =>
      expect((await examine(world, user)).of("rights")).toEqual([
        expect.stringMatching(
          `^fail rights topic ${topics.events}: this user may not write the topic.*: grant Write`,
        ),
      ]),
    "one right to be missing",
    30_000,
  );
  await allow("doctor", onTopics([topics.events], "WRITE"));
  await eventually(
    async () => {
      const least = await examine(world, user);
      expect(least.of("rights")).toEqual([expect.stringMatching(/^ok rights/)]);
      expect(least.of("topics")).toContainEqual(
        expect.stringMatching(/^warn topics topics: .*grant DescribeConfigs/),
      );
    },
    "no right to be missing",
    30_000,
  );
});

it("says in a sentence that Kafka does not take a password, and ends where nothing is allowed", async () => {
  const world = await opened();
  const settings = await byScram("nobody");
  const wrong = await world.run(["setup"], { ...settings, KAFKA_SASL_PASSWORD: "another-password" });
  expect(wrong.code).toBe(1);
  expect(wrong.err).toMatch(/^Kafka does not let it in\. KAFKA_SASL_MECHANISM \(scram-sha-512\): [^\n]*\n$/);
  expect(wrong.err).not.toContain("another-password");
  const replica = await world.startReplica(settings);
  // Kafka does not say of a topic that may not be described whether it is there.
  await replica.untilLine((text) => text.startsWith(`Topic ${world.topics.events} does not exist`), "why");
  expect(await replica.exited()).toBe(1);
});
