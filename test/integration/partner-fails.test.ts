import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import { expect, test } from "vitest";
import { newAccepts, sendAccepts } from "../support/accepts.ts";
import { startConsole } from "../support/console-program.ts";
import { eventually } from "../support/eventually.ts";
import { listen } from "../support/listen.ts";
import { openWorld } from "../support/world.ts";

test.concurrent(
  "a partner that refuses the calls is seen in /readyz, status, console and log, until it answers again",
  async ({ onTestFinished }) => {
    const world = await openWorld({
      sandboxArgs: ["--accept-unknown-quotes"],
      settings: { FLOWS: "webhooks,commands", KAFKA_CLIENT_ID: `fx-${randomUUID()}` },
    });
    onTestFinished(world.close);
    const replica = await world.startReady();
    const shown = await startConsole(world, { CONSOLE_AUTH: "none" });
    const detail = async () => (await replica.components())["partner"];
    expect(await detail()).toEqual({ status: "up", detail: "works" });

    await world.sandbox("/_sandbox/faults", {
      operation: "accept",
      kind: "status",
      status: 401,
      when: "before",
    });
    const accepts = await sendAccepts(world);
    await accepts.submit(newAccepts(1));
    const why = "it refuses the credentials (401): see PARTNER_ACCESS_TOKEN and PARTNER_X_TOKEN";
    await eventually(
      async () =>
        expect(await detail()).toMatchObject({
          status: "down",
          detail: expect.stringContaining(why) as string,
        }),
      "the replica to say so",
      20_000,
    );
    expect(await replica.isReady()).toBe(true);
    await replica.untilLine(
      (line) => line.includes('"partner.failing"') && line.includes(why),
      "the log line",
    );
    await eventually(
      async () =>
        expect((await world.run(["status"])).out).toContain("The partner fails: see why.\n  since "),
      "status to say so",
      40_000,
    );
    await shown.until("/", "The partner fails: see why", "");

    await world.sandbox("/_sandbox/reset", {});
    await eventually(
      async () => (await detail())?.status === "up",
      "the replica to say that it is well",
      40_000,
    );
    await replica.untilLine((line) => line.includes('"partner.well"'), "the end in the log");
    await eventually(
      async () => expect((await world.run(["status"])).out).not.toContain("The partner fails"),
      "status to forget it",
      40_000,
    );
  },
  240_000,
);

test.concurrent(
  "calls that wait because the rate is used up are seen in /readyz, status, console and log, until none waits",
  async ({ onTestFinished }) => {
    const world = await openWorld({
      sandboxArgs: ["--accept-unknown-quotes"],
      settings: { FLOWS: "webhooks,commands", KAFKA_CLIENT_ID: `fx-${randomUUID()}`, PARTNER_MAX_RPS: "1" },
    });
    onTestFinished(world.close);
    const replica = await world.startReady();
    const shown = await startConsole(world, { CONSOLE_AUTH: "none" });
    const accepts = await sendAccepts(world);
    await accepts.submit(newAccepts(25));

    const why = "calls wait for their turn, because PARTNER_MAX_RPS is used up";
    const detail = async () => (await replica.components())["partner"]?.detail;
    await eventually(async () => expect(await detail()).toContain(why), "the replica to say so", 20_000);
    await replica.untilLine((line) => line.includes('"partner.rate"') && line.includes(why), "the log line");
    await eventually(
      async () => expect((await world.run(["status"])).out).toContain("Commands wait for their turn"),
      "status to say so",
      20_000,
    );
    await shown.until("/", "Commands wait for their turn", "");
    await eventually(async () => (await detail()) === "works", "the last call to have its turn", 60_000);
    await replica.untilLine((line) => /"state":"free".*"partner.rate"/.test(line), "the end in the log");
  },
  240_000,
);

test.concurrent(
  "with PARTNER_PAUSE_ON_DOUBT an answer that nobody foresaw stops all accepts, over a restart, until the doubt is ended",
  async ({ onTestFinished }) => {
    const quotes: string[] = [];
    const partner = createServer((request, response) => {
      quotes.push(request.url?.split("/").at(-2) ?? "");
      response.end(quotes.length === 1 ? "<html>Seu pedido foi recebido</html>" : '{"situacao":"ok"}');
    });
    const url = `http://${await listen(partner)}`;
    onTestFinished(() => void partner.close());
    const world = await openWorld({
      settings: { FLOWS: "commands", PARTNER_BASE_URL: url, PARTNER_PAUSE_ON_DOUBT: "true" },
    });
    onTestFinished(world.close);
    const first = await world.startReady();
    const accepts = await sendAccepts(world);
    const [surprise, ...others] = newAccepts(6);
    if (!surprise) throw new Error("there is a first accept");
    await accepts.submit([surprise]);
    await eventually(() => accepts.answered() === 1, "the doubt");
    expect(accepts.results.get(surprise.commandId)).toMatchObject([{ outcome: "IN_DOUBT" }]);
    await accepts.submit(others);
    await first.untilLine(
      (line) => line.includes('"accepts.doubt"') && line.includes("held"),
      "the log line",
    );
    await first.stop();
    const second = await world.startReady();
    await eventually(
      async () =>
        expect((await second.components())["partner"]).toMatchObject({
          status: "down",
          detail: expect.stringContaining("PARTNER_PAUSE_ON_DOUBT") as string,
        }),
      "the next replica to say so",
    );
    await eventually(
      async () =>
        expect((await world.run(["status"])).out).toContain(
          "Accepts wait until a doubt is resolved: find out what became of it.\n  accepts pause since ",
        ),
      "status to say so",
      40_000,
    );
    expect(quotes).toEqual([surprise.quoteId]);
    const args = ["--as", "succeeded", "--by", "ana", "--note", "in the books", "--force"];
    expect(await world.run(["resolve", surprise.commandId, ...args])).toMatchObject({ code: 0 });
    await eventually(() => accepts.answered() === 6, "the others to go on", 30_000);
    expect(quotes.toSorted()).toEqual([surprise, ...others].map(({ quoteId }) => quoteId).toSorted());
  },
  240_000,
);
