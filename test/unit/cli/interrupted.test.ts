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

// The Kafka client tries for some seconds more.
test.each([["status"], ["dead-letters", "replay", "0/1", "--by", "ana", "--note", "why"]])(
  "%s says nothing after an interrupt",
  async (...args) => {
    const { code, out, err } = await interrupted(args);
    expect({ code, out, err }).toEqual({ code: 1, out: "", err: "" });
  },
  60_000,
);
