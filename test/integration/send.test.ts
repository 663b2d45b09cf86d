import { expect, test } from "vitest";
import { openTestWorld } from "../support/world.ts";

test("the tool says what keeps commands from being executed, where nobody takes them or they are paused", async () => {
  const world = await openTestWorld();
  const send = () =>
    world.run("send accept-quote --quote-id q-1 --counterparty-id cp-1 --wait --timeout 3s".split(" "));
  const alone = await send();
  expect(alone).toMatchObject({ code: 5, out: "" });
  expect(alone.err).toMatch(/No result of command \S+ came: none can come now \(Nobody takes commands, /);

  const paused = await world.run(["pause", "commands", "--by", "ana", "--note", "why"]);
  expect(paused.code).toBe(0);
  expect((await send()).err).toMatch(/none can come now \(Nobody takes .*; Commands are paused\), see /);
});
