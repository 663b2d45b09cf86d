import { connect, createServer, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, it, onTestFinished } from "vitest";
import { correctTally } from "../support/accept-tally.ts";
import { commandsUnderFault } from "../support/commands-world.ts";
import { randomFrom } from "../support/random.ts";
import { listen } from "../support/listen.ts";

const BURSTS = 60;
const AT_ONCE = 30;

/** A way to the partner on which a connection is closed, without a word, when nothing has come over it for so long. */
const closingWhenIdle = async (targetPort: number, idleMs: number) => {
  let connections = 0;
  const ends: Socket[] = [];
  const server = createServer((near) => {
    connections += 1;
    const far = connect(targetPort, "127.0.0.1");
    ends.push(near, far);
    const close = (): void => {
      near.destroy();
      far.destroy();
    };
    let timer: NodeJS.Timeout | undefined;
    far.on("data", () => (timer = setTimeout(close, idleMs)));
    near.on("data", () => clearTimeout(timer));
    for (const end of [near, far]) end.on("error", close).on("close", close);
    near.pipe(far).pipe(near);
  });
  onTestFinished(() => {
    for (const end of ends) end.destroy();
    server.close();
  });
  return { address: await listen(server), connections: () => connections };
};

it.each([
  { idleMs: 10, gapMs: 30, keepAlive: "0", isReused: false },
  { idleMs: 1_200, gapMs: 250, keepAlive: "0", isReused: false },
  { idleMs: 1_200, gapMs: 300, keepAlive: "1s", isReused: true },
])(
  "doubts nothing when the partner closes connections after $idleMs ms, with PARTNER_KEEP_ALIVE=$keepAlive",
  async ({ idleMs, gapMs, keepAlive, isReused }) => {
    const { world, accepts } = await commandsUnderFault({ replicas: 0 });
    const way = await closingWhenIdle(Number(new URL(world.sandboxUrl).port), idleMs);
    await world.startReady({
      PARTNER_BASE_URL: `http://${way.address}`,
      PARTNER_KEEP_ALIVE: keepAlive,
    });

    const random = randomFrom(idleMs);
    for (let burst = 0; burst < BURSTS; burst++) {
      await accepts.send(AT_ONCE / 2 + Math.floor((random() * AT_ONCE) / 2));
      await sleep(random() * gapMs);
    }
    const sent = accepts.sent();
    const account = await accepts.settle(30_000);

    expect(account).toMatchObject({ ...correctTally(sent), succeeded: sent, inDoubt: 0 });
    if (isReused) expect(way.connections()).toBeLessThan(sent / 2);
    else expect(way.connections()).toBeGreaterThanOrEqual(sent);
  },
);
