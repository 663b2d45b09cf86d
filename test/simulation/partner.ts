import type { Call, Outcome } from "../../src/partner/types.ts";
import type { CallBody, Oracle } from "./oracle.ts";
import { CALL_WITHIN_MS, OPERATOR_WAIT_MS } from "./scenario.ts";
import type { Scenario } from "./scenario.ts";
import type { SimulatedProcess, Simulator } from "./simulator.ts";

/** Fates with no answer, or with one that proves nothing. */
const DOUBTFUL = [
  "lostOnTheWay",
  "executedThenReset",
  "executedThenSilent",
  "executedLate",
  "executedAnsweredLate",
  "executedThen500",
  "500",
  "503",
] as const;
const FATES = ["notConnected", ...DOUBTFUL, "429", "401", "refused"] as const;
/** What a busy partner does with accepts: all of it proves that nothing was executed. */
const BUSY_FATES = ["notConnected", "notConnected", "429", "401"] as const;
type Fate = (typeof FATES)[number] | "executed";

const CAUSES_DOUBT = new Set<Fate>(DOUBTFUL);

const answer = (httpStatus: number, retryAfterMs: number | null = null) => ({
  httpStatus,
  body: String(httpStatus),
  retryAfterMs,
});

const unknown = (
  reason: string,
  httpStatus: number | null = null,
  retryAfterMs: number | null = null,
): Outcome => ({
  kind: "unknown",
  reason,
  answer: httpStatus === null ? null : answer(httpStatus, retryAfterMs),
});

/**
 * The partner executes every accept that reaches it, and does not protect against a second one. It may stand still
 * with a request that it has received, and execute it long after the caller gave it up.
 */
export const createPartner = (
  simulator: Simulator,
  scenario: Scenario,
  oracle: Oracle,
  partitionOf: (key: string) => number,
) => {
  const { random } = simulator;
  const { stall } = scenario;
  const isThrottled = ({ key }: CallBody): boolean =>
    stall?.place === "partner" && partitionOf(key) === stall.partition && simulator.nowMs() < stall.untilMs;
  const isLateExecution = scenario.rareCase === "late-execution";
  let busyUntilMs = 0;
  let calls = 0;

  /** Executes a call and answers it according to its fate. */
  const handle = (body: CallBody, fate: Fate, respond: (delayMs: number, outcome: Outcome) => void): void => {
    const transitMs = random.int(0, 40);
    const execute = (delayMs: number) => {
      busyUntilMs = Math.max(busyUntilMs, simulator.nowMs() + delayMs);
      simulator.after(delayMs, null, () => {
        simulator.note(() => `partner: executes ${body.commandId} for ${body.key}`);
        oracle.executed(body);
      });
    };
    const backMs = transitMs + random.int(0, 40);
    const lateMs = (): number =>
      isLateExecution ? random.int(30_000, 4 * OPERATOR_WAIT_MS) : random.int(0, 4_000);
    if (fate.startsWith("executed")) execute(fate === "executedLate" ? lateMs() : transitMs);
    const answerAfter = (): [delayMs: number, Outcome] | null => {
      switch (fate) {
        case "executed":
          return [backMs, { kind: "executed", answer: answer(200) }];
        case "executedAnsweredLate":
          return [CALL_WITHIN_MS + random.int(-50, 400), { kind: "executed", answer: answer(200) }];
        case "executedThenReset":
          return [backMs, unknown("reset")];
        case "executedThen500":
        case "500":
          return [backMs, unknown("500", 500)];
        case "503":
          return [backMs, unknown("503", 503, random.pick([null, 50, 1_200]))];
        case "429":
          return [backMs, { kind: "throttled", answer: answer(429, random.pick([null, 50, 1_200])) }];
        case "401":
          return [backMs, { kind: "unauthorized", answer: answer(401) }];
        case "refused":
          return [backMs, { kind: "refused", answer: answer(422) }];
        case "executedLate":
        case "executedThenSilent":
        case "lostOnTheWay":
        case "notConnected":
          return null;
      }
    };
    const answered = answerAfter();
    if (answered) respond(...answered);
  };

  const callFor =
    (
      process: SimulatedProcess,
      atPort: (body: CallBody) => void,
      mayStillSend: (body: CallBody) => void,
    ): Call =>
    (request, { signal, withinMs, mayCall }) =>
      new Promise((resolve) => {
        const body = JSON.parse(request.body) as CallBody;
        const troubled =
          simulator.nowMs() < scenario.calmAtMs && random.chance(scenario.chances.partnerTrouble);
        const isFirst = ++calls === 1;
        const fates = scenario.partnerIsBusy ? BUSY_FATES : FATES;
        const usualFate = troubled ? random.pick<Fate>(fates) : "executed";
        const fate = isThrottled(body) ? "429" : isFirst && isLateExecution ? "executedLate" : usualFate;
        let left = false;
        let over = false;
        const finish = (outcome: Outcome): void => {
          if (over) return;
          over = true;
          signal.removeEventListener("abort", stop);
          oracle.callEnds(process.name);
          const proof = outcome.kind !== "executed" && outcome.kind !== "unknown";
          if (left && proof) oracle.proven(body);
          simulator.note(() => `${process.name}: call of ${body.commandId} ends ${JSON.stringify(outcome)}`);
          resolve(outcome);
        };
        const stop = () => finish(left ? unknown("timeout") : { kind: "notSent", reason: "timeout" });
        oracle.callBegins(process.name);
        if (signal.aborted) {
          stop();
          return;
        }
        signal.addEventListener("abort", stop, { once: true });
        simulator.after(withinMs, process, stop);
        atPort(body);
        simulator.after(random.int(0, 20), process, () => {
          if (over) return;
          if (fate === "notConnected") {
            finish({ kind: "notSent", reason: "refused" });
            return;
          }
          if (!mayCall()) {
            finish({ kind: "notSent", reason: "not allowed" });
            return;
          }
          left = true;
          simulator.note(() => `${process.name}: sends ${body.commandId} for ${body.key}, fate ${fate}`);
          mayStillSend(body);
          if (CAUSES_DOUBT.has(fate)) oracle.claimDisturbed(body.commandId);
          oracle.sent(body);
          // An HTTP library that loses the connection may try to send again.
          if (fate === "executedThenReset" && mayCall()) oracle.sent(body);
          handle(body, fate, (delayMs, outcome) => simulator.after(delayMs, process, () => finish(outcome)));
        });
      });

  /** When the last of the executions under way comes. */
  return { callFor, busyUntilMs: () => busyUntilMs };
};
