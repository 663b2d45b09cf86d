import { elected } from "../../src/kafka/consume/elected.ts";
import type { GroupOptions } from "../../src/kafka/consume/group.ts";
import { systemClock } from "../../src/runtime/clock.ts";
import { readerDeps } from "./reader-deps.ts";
import { isUp } from "../../src/runtime/health.ts";

// A process that takes part in the election, and prints a line for each piece of work that it does as the
// leader. The first argument holds its options as JSON.

const EFFECT_EVERY_MS = 20;
const { brokers, ...options } = JSON.parse(process.argv[2] ?? "{}") as GroupOptions & { brokers: string };
const say = (what: string): void => void process.stdout.write(`${what} ${Date.now()}\n`);

const { health } = elected(
  options,
  async ({ isHeld }) => {
    while (isHeld()) {
      say("works");
      await systemClock.sleep(EFFECT_EVERY_MS);
    }
    say("ended");
  },
  readerDeps(brokers),
);
const whenUp = setInterval(() => {
  if (!isUp(health())) return;
  say("joined");
  clearInterval(whenUp);
}, 50);
