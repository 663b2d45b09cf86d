import { expect, it, onTestFinished } from "vitest";
import { eventually } from "../support/eventually.ts";
import { oauthBrokers } from "../support/oauth-brokers.ts";
import { CLIENT } from "../support/token-endpoint.ts";
import { slowestOf } from "../support/webhook-load.ts";
import { webhooksUnderFault } from "../support/webhooks-under-fault.ts";
import { openTestWorld } from "../support/world.ts";

const oauth = oauthBrokers();
const LIFE_S = 20;
const UNDER_LOAD_MS = Number(process.env["OAUTH_UNDER_LOAD_MS"] ?? 120_000);

const passed = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

it("says in a sentence, within 10 s, that the broker refuses a token for another audience", async () => {
  const { behaviour } = oauth.endpoint();
  const world = await openTestWorld({ cluster: oauth.kafka.cluster(), settings: { FLOWS: "webhooks" } });
  behaviour.audience = "somebody-else";
  onTestFinished(() => void (behaviour.audience = "kafka"));
  const startedAt = Date.now();
  const replica = await world.startReplica(oauth.settings());
  const line = await replica.untilLine((text) => text.includes("start.waiting"), "what it waits for");
  expect(Date.now() - startedAt).toBeLessThan(10_000);
  const { reason } = JSON.parse(line) as { reason: string };
  expect(reason).toMatch(
    /^KAFKA_SASL_MECHANISM \(oauthbearer\): the broker 127\.0\.0\.1:\d+ refused the token: /,
  );
  console.log(reason);
  for (const args of [["setup"], ["watch", "events"]]) {
    const { code, err } = await world.run(args, oauth.settings());
    expect(code).toBe(1);
    expect(err).toMatch(/^[^\n]*refused the token[^\n]*\n$/);
  }
  const everything = (await replica.lines()).join("\n");
  expect(everything).not.toContain(CLIENT.secret);
  expect(everything).not.toContain("eyJ");
  // Once the token is right, the start goes on.
  behaviour.audience = "kafka";
  await replica.untilReady();
});

it(
  "goes on under load while tokens expire, keys change, and the token endpoint is away",
  async () => {
    const endpoint = oauth.endpoint();
    endpoint.behaviour.lifeS = LIFE_S;
    const { load, replica, settle } = await webhooksUnderFault(oauth.kafka, { settings: oauth.settings() });
    const begunAt = Date.now();
    const answeredBefore = endpoint.given();
    await passed(UNDER_LOAD_MS);
    const renewals = endpoint.given() - answeredBefore;
    const expiry = load.since(begunAt);
    expect(expiry.filter(({ status }) => status !== 200)).toEqual([]);
    expect(renewals).toBeGreaterThanOrEqual(Math.floor(UNDER_LOAD_MS / (LIFE_S * 1_000)));
    expect(renewals).toBeLessThanOrEqual(UNDER_LOAD_MS / (LIFE_S * 800) + 1);
    console.log(`expiry: ${expiry.length} answers, slowest ${slowestOf(expiry)} ms, ${renewals} tokens`);

    endpoint.publishNextKey();
    await passed(10_000);
    endpoint.useNewestKey();
    const rotatedAt = Date.now();
    await passed(30_000);
    const rotation = load.since(rotatedAt);
    expect(rotation.filter(({ status }) => status !== 200)).toEqual([]);
    console.log(`rotation: ${rotation.length} answers, slowest ${slowestOf(rotation)} ms`);

    // A token of a minute and more outlives an endpoint that is away for a minute.
    endpoint.behaviour.lifeS = 400;
    const before = endpoint.given();
    await eventually(() => endpoint.given() > before, "a token of longer life", 25_000);
    endpoint.behaviour.down = true;
    const downAt = Date.now();
    await passed(60_000);
    endpoint.behaviour.down = false;
    const outage = load.since(downAt);
    expect(outage.filter(({ status }) => status !== 200)).toEqual([]);

    const account = await settle();
    expect(account).toMatchObject({ lost: [], otherStatuses: [] });
    expect((await replica.lines()).join("\n")).not.toMatch(/eyJ|client-secret-of-the-test/);
    console.log(JSON.stringify(account));
  },
  UNDER_LOAD_MS + 240_000,
);
