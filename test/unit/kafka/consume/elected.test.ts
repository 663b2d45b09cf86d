import { expect, onTestFinished, test } from "vitest";
import { silent } from "../../../../src/runtime/log.ts";
import { elected, type Term } from "../../../../src/kafka/consume/elected.ts";
import { systemClock } from "../../../../src/runtime/clock.ts";
import { eventually } from "../../../support/eventually.ts";
import { fakeKafka, TOPIC } from "./fake-kafka.ts";

const SESSION_MS = 10_000;

/** A single member of its group, with a clock that can be advanced. Work that ended begins again after 100 ms. */
const candidate = (work: (held: Term) => Promise<void>) => {
  const kafka = fakeKafka(2);
  const said: [string, unknown][] = [];
  const tell = (fields: object, event: string): void => {
    if (event.startsWith("election")) said.push([event, "reason" in fields ? fields.reason : null]);
  };
  let aheadMs = 0;
  const monotonic = (): number => systemClock.monotonic() + aheadMs;
  const sleep: typeof systemClock.sleep = (ms, signal) => systemClock.sleep(Math.min(ms, 100), signal);
  const office = elected({ topic: TOPIC, groupId: "g", sessionTimeoutMs: SESSION_MS }, work, {
    newClient: () => kafka.client,
    clock: { ...systemClock, monotonic, sleep },
    log: { ...silent, info: tell, warn: tell, error: tell },
    random: () => 0.05,
  });
  onTestFinished(office.stop);
  return { kafka, office, said, putForward: (ms: number) => (aheadMs += ms) };
};

const untilAborted = ({ signal }: Term): Promise<void> =>
  new Promise((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));

/** A candidate whose terms last until they are taken from it. */
const untilTold = () => {
  const terms: Term[] = [];
  const work = (held: Term): Promise<void> => {
    terms.push(held);
    return untilAborted(held);
  };
  return { terms, ...candidate(work) };
};

test("works while it is assigned the first partition, and reads no records", async () => {
  const { kafka, office, terms } = untilTold();
  kafka.append(0, ["a", "b"]);
  await eventually(() => terms.length === 1, "it to be chosen");
  expect([office.isLeader(), terms[0]?.isHeld(), office.health()]).toEqual([true, true, { kind: "up" }]);
  expect(kafka.state.paused).toBe(true);

  kafka.join([1]);
  expect([office.isLeader(), terms[0]?.signal.aborted, terms[0]?.isHeld()]).toEqual([false, true, false]);
  expect(office.health()).toEqual({ kind: "up" });

  kafka.join([0]);
  await eventually(() => terms.length === 2, "it to be chosen again");
  expect([terms[0]?.isHeld(), terms[1]?.isHeld()]).toEqual([false, true]);
  await office.stop();
  expect([terms[1]?.isHeld(), kafka.state.stopped, kafka.commits.size]).toEqual([false, true, 0]);
});

test("after a freeze longer than the session it is no leader, by the clock alone", async () => {
  const { office, putForward, terms } = untilTold();
  await eventually(() => terms.length === 1, "it to be chosen");
  putForward(SESSION_MS);
  expect(terms[0]?.isHeld()).toBe(false);
  expect(terms[0]?.signal.aborted).toBe(true);
  expect(office.isLeader()).toBe(false);
});

test("counts the session from the request: an answer that waited during a freeze proves nothing", async () => {
  const { kafka, putForward, terms } = untilTold();
  await eventually(() => terms.length === 1, "it to be chosen");
  kafka.answered("Heartbeat", SESSION_MS + 1_000);
  putForward(SESSION_MS + 1_000);
  await eventually(() => terms[0]?.signal.aborted === true, "it to be told");
  expect(terms[0]?.isHeld()).toBe(false);
  // Several heartbeats later.
  await systemClock.sleep(50);
  expect(terms).toHaveLength(1);
});

test("restarts work that throws or ends, after a pause", async () => {
  let begun = 0;
  const { said } = candidate((held) => {
    begun += 1;
    if (begun === 1) throw new Error("at once");
    if (begun === 2) return Promise.reject(new Error("later"));
    return begun === 3 ? Promise.resolve() : untilAborted(held);
  });
  await eventually(() => begun === 4, "the fourth beginning");
  expect(said).toEqual([
    ["election.won", null],
    ["election.work.ended", "at once"],
    ["election.work.ended", "later"],
  ]);
});

test("a leader whose work ignores its signal leaves the group, and joins again once the work has ended", async () => {
  let end = (): void => undefined;
  const stuck = new Promise<void>((resolve) => (end = resolve));
  const terms: Term[] = [];
  const { kafka, office, said } = candidate((held) => (terms.push(held) === 1 ? stuck : untilAborted(held)));
  onTestFinished(() => end());
  await eventually(() => terms.length === 1, "it to be chosen");
  kafka.join([1]);
  kafka.join([0]);
  await eventually(() => kafka.state.stopped, "it to leave the group");
  expect(said.filter(([event]) => event === "election.work.hangs")).toHaveLength(1);
  expect([office.isLeader(), terms.length]).toEqual([false, 1]);

  kafka.state.stopped = false;
  end();
  await eventually(() => terms.length === 2, "it to be chosen again");
});
