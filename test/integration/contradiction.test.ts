import { createServer, type ServerResponse } from "node:http";
import { expect, onTestFinished, test } from "vitest";
import { problemsOfRecord, readAsyncApi } from "../support/asyncapi.ts";
import { decode } from "../support/avro.ts";
import { takeOver } from "../support/doubts.ts";
import { eventually } from "../support/eventually.ts";
import { openTestWorld } from "../support/world.ts";
import { listen } from "../support/listen.ts";
import { messageOf } from "../support/accepts.ts";

/** A partner that answers one request, when the test says so. */
const slowPartner = async () => {
  let asked: (answer: ServerResponse) => void = () => undefined;
  const request = new Promise<ServerResponse>((resolve) => (asked = resolve));
  const server = createServer((_, answer) => asked(answer));
  onTestFinished(() => void server.close());
  return { url: `http://${await listen(server)}`, request };
};

test("an answer that contradicts an operator's decision is a dead letter, is counted and is logged", async () => {
  const partner = await slowPartner();
  // The call stays open while two programs run.
  const patience = { PARTNER_CALL_TIMEOUT: "60s", SHUTDOWN_TIMEOUT: "65s" };
  const settings = { FLOWS: "commands", PARTNER_BASE_URL: partner.url, ...patience };
  const world = await openTestWorld({ settings });
  const { commands, journal, results, deadLetters } = world.topics;
  const bridge = await world.startReady();
  const following = await world.follow([journal, results, deadLetters]);
  const accept = messageOf({ commandId: "c-1", quoteId: "Q-1", key: "sent-with" });
  await world.produce(commands, [accept]);
  const answer = await partner.request;

  // While the call is open, another replica thinks its owner dead, and an operator says that it was not executed.
  const [claim] = await following.until(journal, () => true);
  const { step } = decode("command-journal-entry", claim?.value ?? null);
  const [claimed] = Object.values(step as Record<string, { attemptId: string; requestHash: string }>);
  if (!claim?.key || !claimed) throw new Error("no claim");
  const { attemptId, requestHash } = claimed;
  await takeOver(world, { commandId: "c-1", quoteId: claim.key, attemptId, requestHash });
  const decision = ["--as", "not-executed", "--force", "--by", "ana", "--note", "asked the partner"];
  expect(await world.run(["resolve", "c-1", ...decision])).toMatchObject({ code: 0 });
  answer.writeHead(200, { "content-type": "application/json" }).end("{}");

  const [letter] = await following.until(deadLetters, () => true);
  if (!letter) throw new Error("no dead letter");
  expect(letter.key).toBe("c-1");
  expect(problemsOfRecord(readAsyncApi(), "CommandDeadLetter", letter, [])).toEqual([]);
  expect(letter.headers).toMatchObject({
    "dead-letter-reason": "CONTRADICTING_ANSWER",
    "dead-letter-detail": "the final result is FAILED",
    "dead-letter-source": "command",
    "dead-letter-topic": results,
    // The answer never was a record.
    "dead-letter-partition": "-1",
    "dead-letter-offset": "-1",
  });
  expect(decode("command-result", letter.value)).toMatchObject({
    ...{ commandId: "c-1", quoteId: "Q-1", outcome: "SUCCEEDED", decidedBy: "PARTNER", httpStatus: 200 },
  });
  const isCounted = () => bridge.hasMetric(/^cambio_bridge_command_contradictions_total 1$/m);
  await eventually(isCounted, "the contradiction to be counted", 10_000);
  // The log is written in chunks, some time after the dead letter.
  const contradicted = async (): Promise<string[]> =>
    (await bridge.lines()).filter((line) => line.includes('"command.contradicted"'));
  await eventually(async () => (await contradicted()).length > 0, "the contradiction to be logged", 10_000);
  expect((await contradicted()).map((line) => JSON.parse(line) as unknown)).toEqual([
    expect.objectContaining({ level: "error", commandId: "c-1", said: "executed", standing: "not executed" }),
  ]);
  // The caller got the operator's decision alone.
  const outcomes = following.of(results).map(({ headers }) => headers["outcome"]);
  expect(new Set(outcomes)).toEqual(new Set(["FAILED"]));
  // `show` finds it under its place, and names the reason.
  const shown = await world.run(["dead-letters", "show", `${letter.partition}/${letter.offset}`]);
  expect(shown.out).toMatch(/CONTRADICTING_ANSWER[^]*"key": "c-1"/);
});
