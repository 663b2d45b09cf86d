import type { Entry, Ref, JournalStep } from "../../../../src/commands-to-results/accept-once/entry.ts";
import type { Contradicted } from "../../../../src/commands-to-results/accept-once/partition-view.ts";
import type { Deps, PreparedCommand } from "../../../../src/commands-to-results/accept-once/ports.ts";
import type { View } from "../../../../src/commands-to-results/accept-once/view.ts";
import { createView } from "../../../../src/commands-to-results/accept-once/view.ts";
import type { CallPermit } from "../../../../src/partner/types.ts";
import { systemClock } from "../../../../src/runtime/clock.ts";
import type { Verdict } from "../../../../src/commands-to-results/types.ts";
import { codec, guard } from "../../../simulation/stubs.ts";

type Partial_<K extends JournalStep["kind"]> = Partial<Omit<JournalStep & { kind: K }, "kind">>;

export const claimed = (attemptId: string, more: Partial_<"claimed"> = {}): JournalStep => ({
  kind: "claimed",
  attemptId,
  requestHash: "abcd0123",
  callWithinMs: 1_000,
  receivedAt: 1,
  attempts: 0,
  supersedes: null,
  quoteId: null,
  ...more,
});

export const released = (attemptId: string): JournalStep => ({ kind: "released", attemptId });

export const concluded = (
  attemptId: string | null,
  outcome: "SUCCEEDED" | "REJECTED" | "FAILED" | "IN_DOUBT",
): JournalStep => ({
  kind: "concluded",
  attemptId,
  requestHash: "abcd0123",
  outcome,
  resultId: outcome === "IN_DOUBT" ? "doubt" : "final",
  result: Buffer.from(outcome),
  note: null,
  traceparent: null,
});

export const published = (resultId = "final"): JournalStep => ({ kind: "published", resultId });

export const accept = (commandId: string, key = "quote"): Ref => ({
  operation: "ACCEPT_QUOTE",
  key,
  commandId,
});
export const create = (commandId: string): Ref => ({ operation: "CREATE_QUOTE", key: commandId, commandId });

/**
 * A view of one partition, and the log that feeds it.
 * @param now the clock of the log, which gives each entry its LogAppendTime
 */
export const createLog = (now: () => number = Date.now) => {
  const contradictions: Contradicted[] = [];
  const contradicted = (found: Contradicted): void => void contradictions.push(found);
  const view: View = createView({ partitions: 1, partitionOf: () => 0, contradicted });
  view.begin(0, { startOffset: 0, endOffset: 0 });
  const entries: { key: string; entry: Entry; timestampMs: number }[] = [];
  return {
    view,
    entries,
    contradictions,
    append: ({ operation, key, commandId }: Ref, ...steps: JournalStep[]): void => {
      for (const step of steps) {
        const entry: Entry = { operation, commandId, step };
        const timestampMs = now();
        const offset = entries.push({ key, entry, timestampMs }) - 1;
        view.take({ partition: 0, offset, timestampMs, key, entry });
      }
    },
  };
};

/** A command that is to be executed; `refused`: one that is not, for what it says. */
export const itemOf = (ref: Ref, refused: Verdict | null = null): PreparedCommand => {
  const { operation, key, commandId } = ref;
  return {
    identity: { commandId, operation, quoteId: key, externalId: null },
    ref,
    requestHash: "abcd0123",
    work: refused
      ? { kind: "refuse", verdict: refused }
      : {
          kind: "call",
          command: {
            commandId,
            issuedAt: Date.now(),
            expiresAt: null,
            request: {
              type: "AcceptQuote",
              quoteId: key,
              counterpartyId: "cp",
              amount: null,
              externalId: null,
            },
          },
          request: { operation, method: "PUT", path: "/", body: "{}", ids: {} },
        },
    receivedAt: Date.now(),
    envelope: { traceparent: null, origin: null },
  };
};

/** A permit that is always free. */
export const freePermit: CallPermit = {
  isFree: () => true,
  take: () => undefined,
  untilFree: () => Promise.resolve(),
  release: () => undefined,
};

/** A bridge around one log that never fails; a test replaces what it is about. */
export const createDeps = (log: ReturnType<typeof createLog>, changes: Partial<Deps> = {}) => {
  const results: string[] = [];
  let ids = 0;
  const deps: Deps = {
    clock: systemClock,
    view: log.view,
    journal: {
      append: (ref, step) => {
        log.append(ref, step);
        return Promise.resolve({ partition: 0, offset: log.entries.length - 1 });
      },
      reread: ({ offset }) => Promise.resolve(log.entries[offset]?.entry ?? null),
    },
    permit: () => freePermit,
    call: (_, { mayCall }) =>
      Promise.resolve(
        mayCall()
          ? { kind: "executed", answer: { httpStatus: 200, body: "{}", retryAfterMs: null } }
          : { kind: "notSent", reason: "not allowed" },
      ),
    publish: (result) => {
      results.push(`${result.commandId} ${result.outcome}`);
      return Promise.resolve();
    },
    codec,
    contradiction: () => Promise.resolve(),
    guard,
    mayStart: () => true,
    acceptsPaused: () => false,
    random: () => 0.5,
    newId: () => `a${++ids}`,
    observer: { takeover: () => undefined, breaker: () => undefined, retrying: () => undefined },
    options: {
      callWithinMs: 1_000,
      beginWithinMs: 500,
      takeoverMarginMs: 10,
      deadlineMs: 10_000,
      pauseOnDoubt: false,
      breakerFailures: 2,
      breakerPauseMs: 20,
      backoff: { baseMs: 1, maxMs: 2 },
    },
    ...changes,
  };
  return { deps, results };
};
