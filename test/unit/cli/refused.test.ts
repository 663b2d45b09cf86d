import { expect, test } from "vitest";
import { complete } from "../config/environment.ts";
import { serve } from "../partner/hostile-server.ts";
import { runCommand } from "./run-command.ts";

const who = ["--by", "ana", "--note", "why"];

test.each([
  ["webhooks", ["pause", "webhooks", ...who], /Allowed choices are commands, accepts, reconcile/],
  ["no flow", ["pause", ...who], /flow/],
  ["nothing but the flow", ["pause", "commands"], /--by <name>/],
  ["a name of white space", ["pause", "commands", "--by", " ", "--note", "why"], /must not be empty/],
  ["no reason", ["resume", "commands", "--by", "ana"], /--note/],
  ["an end without a zone", ["pause", "commands", "--until", "2099-01-01T00:00:00", ...who], /an instant/],
  ["a duration of days", ["pause", "commands", "--until", "1d", ...who], /duration/],
  ["a resume with an end", ["resume", "commands", "--until", "30m", ...who], /--until/],
])("wrong usage ends with 2 before anybody is asked: %s", async (_, args, problem) => {
  const { code, out, err } = await runCommand(complete, args);
  expect({ code, out }).toEqual({ code: 2, out: "" });
  expect(err).toMatch(problem);
});

test.each([
  ["pause", "commands", ...who],
  ["resolve", "c-1", "--as", "succeeded", ...who],
  ["doubts"],
  ["story", "c-1"],
  ["setup"],
  ["status"],
  ["watch", "events"],
  ["reconcile", "--from", "2026-12-01", "--to", "2026-12-01"],
  ["dead-letters", "show", "0/1"],
  ["dead-letters", "replay", "0/1", ...who],
])("%s says in one sentence that Kafka does not answer", async (...args) => {
  const { code, out, err } = await runCommand({ ...complete, KAFKA_BROKERS: "127.0.0.1:1" }, args);
  expect({ code, out }).toEqual({ code: 1, out: "" });
  expect(err).toMatch(/^Kafka does not answer\. KAFKA_BROKERS \(127\.0\.0\.1:1\): [^\n]+\.$/);
});

test("setup says the same of a broker that accepts connections and answers nothing", async () => {
  const { port } = await serve({});
  const { code, err } = await runCommand({ ...complete, KAFKA_BROKERS: `127.0.0.1:${port}` }, ["setup"]);
  expect(code).toBe(1);
  expect(err).toMatch(/^Kafka does not answer\. KAFKA_BROKERS \(127\.0\.0\.1:\d+\): [^\n]+\.$/);
}, 60_000);

// The Kafka client tries for some seconds more.
test.each([["status"], ["dead-letters", "replay", "0/1", ...who]])(
  "%s says nothing after an interrupt",
  async (...args) => {
    const stop = new AbortController();
    const silent = await serve({ onConnect: () => stop.abort(new Error("received SIGINT")) });
    const env = { ...complete, KAFKA_BROKERS: `127.0.0.1:${silent.port}` };
    const { code, out, err } = await runCommand(env, args, { stopped: stop.signal });
    expect({ code, out, err }).toEqual({ code: 1, out: "", err: "" });
  },
  60_000,
);
