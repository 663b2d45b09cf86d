import { randomUUID } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { decode } from "../support/avro.ts";
import { sharedCluster } from "../support/cluster.ts";
import { startConsole } from "../support/console-program.ts";
import { AT_ONCE_MS, writeDoubts } from "../support/doubts.ts";
import { readTopic } from "../support/follow-topics.ts";
import { openWorld, type World } from "../support/world.ts";
import { RIGHT } from "../unit/console/browser.ts";

// The whole program, asked over HTTP as a browser without script would.

let world: World;
let usersFile: string;
beforeAll(async () => {
  world = await openWorld(sharedCluster());
  const folder = await mkdtemp(join(tmpdir(), "cambio-bridge-users-"));
  world.defer(() => rm(folder, { recursive: true }));
  usersFile = join(folder, "users");
  await writeFile(usersFile, `ana:${RIGHT}:operator\nbia:${RIGHT}:operator\nvic:${RIGHT}\n`);
});
afterAll(() => world.close());

const BASIC = (): Record<string, string> => ({ CONSOLE_AUTH: "basic", CONSOLE_USERS_FILE: usersFile });

const start = (settings: Record<string, string>) => startConsole(world, settings);

const resultsOf = async (commandId: string) =>
  (await readTopic(world.brokers, world.topics.results))
    .filter(({ key }) => key === commandId)
    .map(({ value }) => decode("command-result", value));

test("without a way to sign in it shows, offers no action, and listens to this machine alone", async () => {
  await writeDoubts(world, "shown-only", AT_ONCE_MS, randomUUID());
  const { program, get, post, doubtPage } = await start({});
  expect((await get("/")).status).toBe(200);
  expect(await doubtPage("shown-only", "nobody")).not.toContain('method="post"');
  const fields = { id: "shown-only", as: "succeeded", note: "n", commandId: "shown-only" };
  expect((await post("/doubts", fields, "ana")).status).toBe(403);
  expect(await resultsOf("shown-only")).toEqual([]);
  expect(await program.stop()).toBe(0);

  const open = await world.run(["console"], { CONSOLE_HOST: "0.0.0.0" });
  expect(open).toMatchObject({ code: 2, out: "" });
  expect(open.err).toContain("CONSOLE_HOST");
});

test("an operator ends a doubt once, however often the form is sent; a viewer does not", async () => {
  const commandId = `once-${randomUUID()}`;
  await writeDoubts(world, commandId, AT_ONCE_MS, randomUUID());
  const { program, get, post, doubtPage, saying } = await start(BASIC());
  expect((await get("/")).status).toBe(401);

  const fields = saying(await doubtPage(commandId, "ana"), commandId, "not-executed");
  expect(fields).toHaveProperty("token");
  const stale = saying(await doubtPage(commandId, "bia"), commandId, "succeeded");
  expect((await post("/doubts", fields, "vic")).status).toBe(403);
  expect(await resultsOf(commandId)).toEqual([]);

  const answers = await Promise.all([1, 2, 3, 4, 5].map(() => post("/doubts", fields, "ana")));
  for (const { status, text } of answers) {
    expect(status).toBe(200);
    expect(text).toContain(`${world.topics.results}[`);
  }
  const [result, ...others] = await resultsOf(commandId);
  expect(others).toEqual([]);
  expect(result).toMatchObject({ outcome: "FAILED", decidedBy: "OPERATOR", final: true });
  const late = await post("/doubts", stale, "bia");
  expect(late.text).toContain("FAILED");
  expect(await resultsOf(commandId)).toHaveLength(1);
  expect(await program.stop()).toBe(0);
});

test("with four eyes nobody ends a doubt alone, from the command line neither", async () => {
  const commandId = `two-${randomUUID()}`;
  await writeDoubts(world, commandId, AT_ONCE_MS, randomUUID());
  const { program, post, doubtPage, saying } = await start({ ...BASIC(), CONSOLE_FOUR_EYES: "true" });
  const say = async (name: string) =>
    post("/doubts", saying(await doubtPage(commandId, name), commandId, "succeeded"), name);
  await say("ana");
  await say("ana");
  const alone = await world.run(
    ["resolve", commandId, "--as", "succeeded", "--by", " ANA ", "--note", "once more"],
    { CONSOLE_FOUR_EYES: "true" },
  );
  expect(alone).toMatchObject({ code: 3, out: "" });
  expect(await resultsOf(commandId)).toEqual([]);

  // Without the setting the proposal that stands is kept to.
  const without = await world.run(["resolve", commandId, "--as", "succeeded", "--by", "ana", "--note", "n"]);
  expect(without).toMatchObject({ code: 3, out: "" });
  expect(await resultsOf(commandId)).toEqual([]);

  const { text } = await say("bia");
  expect(text).toContain(`${world.topics.results}[`);
  expect(await resultsOf(commandId)).toMatchObject([{ outcome: "SUCCEEDED", decidedBy: "OPERATOR" }]);
  expect(await program.stop()).toBe(0);
});

test("a users' file that cannot be used stops the start, with the number of the line and without its content", async () => {
  const file = `${usersFile}-bad`;
  await writeFile(file, `ana:${RIGHT}:operator\nbia:a-password-in-plain-text\n`);
  const ended = await world.run(["console"], { CONSOLE_AUTH: "basic", CONSOLE_USERS_FILE: file });
  expect(ended).toMatchObject({ code: 2, out: "" });
  expect(ended.err).toContain("CONSOLE_USERS_FILE");
  expect(ended.err).toContain("ine 2");
  expect(ended.err).not.toContain("plain-text");
});
