import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, it } from "vitest";
import { blocks, root } from "../support/documents.ts";

/** What the README tells a newcomer to type first. */
const [, command = ""] = /^(npm run demo -- --once)\b/m.exec(blocks("README.md", "sh")[0] ?? "") ?? [];

const run = async (env: NodeJS.ProcessEnv) => {
  const [program = "", ...args] = command.split(" ");
  const onThisNode = ["--node", process.execPath];
  const child = spawn(program, [...args, ...onThisNode], {
    cwd: root,
    env,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => (output += text));
  }
  const [exitCode] = (await once(child, "close")) as [number | null];
  return { exitCode, output };
};

const statuses = [
  "AWAITING_PAYMENT",
  "PAYMENT_CONFIRMED",
  "SETTLEMENT_IN_PROGRESS",
  "CONTRACT_IN_PROGRESS",
  "REGISTERED_TRANSACTION",
  "TRANSACTION_COMPLETED",
];

it("tells the whole story, in order, whatever settings the developer's shell holds", async () => {
  const strange = {
    PARTNER_BASE_URL: "http://127.0.0.1:9/never-reached",
    WEBHOOK_AUTH: "hmac",
    FLOWS: "webhooks",
  };
  const { exitCode, output } = await run({ ...process.env, ...strange });
  expect(exitCode, output).toBe(0);

  // The transaction of the doubt may still go on while the program ends, and its final result may be seen.
  const [, transactionId = ""] = /An event of transaction (\S+) names its quote/.exec(output) ?? [];
  expect(output).toMatch(/command demo-[0-9a-f-]{36} is in doubt\./);
  expect(output).toContain("The doubt is resolved: its final result is SUCCEEDED, with that transaction.");
  const told = output
    .split("\n")
    .filter((line) => !line.includes(`tx ${transactionId}`))
    .join("\n");
  const rows = [...told.matchAll(/^ +\+[\d.]+ s {2}(command|webhook|result|event) +(.*?) {2,}.*$/gm)];
  const says = (kind: string) => rows.filter((row) => row[1] === kind).map((row) => row[2]);
  expect(says("command")).toEqual(["create-quote", "accept-quote", "create-quote", "accept-quote"]);
  expect(says("result").slice(0, 4)).toEqual([
    ...["SUCCEEDED CREATE_QUOTE", "SUCCEEDED ACCEPT_QUOTE"],
    ...["SUCCEEDED CREATE_QUOTE", "IN_DOUBT ACCEPT_QUOTE"],
  ]);
  const lost = "SETTLEMENT_IN_PROGRESS";
  expect(says("webhook")).toEqual([lost]);
  const events = says("event");
  expect(events.filter((status) => status !== lost)).toEqual(statuses.filter((status) => status !== lost));
  expect(events.filter((status) => status === lost)).toHaveLength(1);
  expect(told).toMatch(new RegExp(`event +${lost} .*, from the partner's log$`, "m"));
  expect(told.match(/, from the partner's log$/gm)).toHaveLength(1);

  const places = told.match(/fx\.transaction-status\[\d+\]@\d+/g) ?? [];
  const partitions = new Set(places.map((place) => place.replace(/@\d+$/, "")));
  expect(places).toHaveLength(statuses.length);
  expect(partitions.size, "events of one transaction share a partition").toBe(1);
  expect(output, "no colours where the output is no terminal").not.toContain("\u001b[");
});
