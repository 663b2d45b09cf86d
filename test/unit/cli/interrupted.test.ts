import { expect, test } from "vitest";
import { complete } from "../config/environment.ts";
import { serve } from "../partner/hostile-server.ts";
import { runCommand } from "./run-command.ts";

/** Runs a command against a broker that answers nothing, and interrupts it when it has connected. */
const interrupted = async (args: readonly string[]) => {
  const stop = new AbortController();
  const silent = await serve({ onConnect: () => stop.abort(new Error("received SIGINT")) });
  const env = { ...complete, KAFKA_BROKERS: `127.0.0.1:${silent.port}` };
  return runCommand(env, args, { stopped: stop.signal });
};

test("status says nothing after an interrupt", async () => {
  const { code, out, err } = await interrupted(["status"]);
  expect({ code, out, err }).toEqual({ code: 1, out: "", err: "" });
});

test("a replay that is interrupted names the signal, not what failed because of it", async () => {
  const args = ["dead-letters", "replay", "0/1", "--by", "ana", "--note", "why"];
  const { code, out, err } = await interrupted(args);
  expect({ code, out }).toEqual({ code: 1, out: "" });
  expect(err).toMatch(/^It was cancelled \(received SIGINT\) after 0 of 0\./);
  // The Kafka client tries for some seconds more.
}, 60_000);
