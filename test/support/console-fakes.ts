import type {
  Actions,
  Doubt,
  LetterDetail,
  Overview,
  Progress,
  Proposal,
  Queries,
  ReplayRun,
  Step,
} from "../../src/console/ports.ts";
import type { Actor } from "../../src/operator/action.ts";
import type { ControlEntry } from "../../src/operator/control-entry.ts";
import { refOf, type DeadLetter } from "../../src/operator/replay/dead-letter.ts";
import type { ResolveRequest, ResolveOutcome } from "../../src/operator/resolve-outcome.ts";
import type { CommandResult } from "../../src/records.ts";

/** What was done through the ports. */
export type Did = { what: string; actor: Actor; with: unknown };

const MINUTE = 60_000;
const complete: Progress = { isComplete: true, read: 1_000, total: 1_000, sinceMs: 0, problem: null };

export const wave = (top: number, seed: number): number[] =>
  [...Array(60).keys()].map((minute) =>
    Math.round((top * (1 + Math.sin(minute / 4 + seed)) * (3 + ((minute * 7 + seed) % 5))) / 14),
  );

export const aDoubt = (nowMs: number, of: Partial<Doubt> = {}): Doubt => ({
  commandId: "order-71-accept",
  operation: "ACCEPT_QUOTE",
  quoteId: "9f1c2a44-0d1e-4a52-8a51-0c2f8c7a1c11",
  claim: {
    atMs: nowMs - 42 * MINUTE,
    place: { topic: "fx.command-journal", partition: 3, offset: 1_204 },
    callWithinMs: 20_000,
  },
  atMs: nowMs - 41 * MINUTE,
  place: { topic: "fx.command-journal", partition: 3, offset: 1_209 },
  attempts: 1,
  httpStatus: 502,
  error: { code: "OUTCOME_UNKNOWN", message: "The partner answered 502 after the request was sent." },
  response: '{"message":"upstream timed out"}',
  resolvableAtMs: nowMs - 35 * MINUTE,
  ...of,
});

export const aLetter = (
  nowMs: number,
  partition: number,
  offset: number,
  of: Partial<DeadLetter> = {},
): DeadLetter => ({
  place: { partition, offset },
  timestampMs: nowMs - (offset + 1) * MINUTE,
  reason: "UNREADABLE_NOTIFICATION",
  detail: "the notification holds no status",
  source: "webhook",
  origin: null,
  receivedAtMs: nowMs - (offset + 1) * MINUTE,
  bytes: 212,
  records: [{ partition, offset }],
  missing: null,
  obstacle: null,
  preview: '{"event":"TRANSACTION_STATUS_UPDATED","transaction":{}}',
  ...of,
});

const step = (
  nowMs: number,
  minutesAgo: number,
  offset: number,
  of: Pick<Step, "kind" | "title" | "tone"> & Partial<Step>,
): Step => ({
  atMs: nowMs - minutesAgo * MINUTE,
  place: { topic: "fx.command-journal", partition: 3, offset },
  facts: [],
  payload: null,
  ...of,
});

const OUTBOUND = [
  "AWAITING_PAYMENT",
  "PAYMENT_CONFIRMED",
  "SETTLEMENT_IN_PROGRESS",
  "CONTRACT_IN_PROGRESS",
  "REGISTERED_TRANSACTION",
  "TRANSACTION_COMPLETED",
];

export const resultOf = ({ commandId, quoteId, as }: ResolveRequest, nowMs: number): CommandResult => ({
  resultId: "5e2a90b1c7d34f1f8a7b6c5d4e3f2a10",
  commandId,
  operation: "ACCEPT_QUOTE",
  outcome: as === "succeeded" ? "SUCCEEDED" : "FAILED",
  final: true,
  quoteId,
  externalId: null,
  httpStatus: null,
  response: null,
  error: null,
  attempts: 1,
  decidedBy: "OPERATOR",
  receivedAt: nowMs,
  completedAt: nowMs,
});

/** A console's world without a Kafka: what it shows can be changed, what it does is written down. */
export const consoleFakes = (now: () => number = Date.now) => {
  const nowMs = now();
  const hearers = new Set<() => void>();
  const did: Did[] = [];
  const runs = new Map<string, ReplayRun>();
  const pauses: { commands: ControlEntry | null; reconcile: ControlEntry | null } = {
    commands: null,
    reconcile: null,
  };
  const state = {
    doubts: [
      aDoubt(nowMs),
      aDoubt(nowMs, {
        commandId: "order-80-accept",
        quoteId: "q-80",
        atMs: nowMs - 2 * MINUTE,
        httpStatus: null,
        response: null,
        resolvableAtMs: nowMs + 5 * MINUTE,
        claim: {
          atMs: nowMs - 3 * MINUTE,
          place: { topic: "fx.command-journal", partition: 0, offset: 88 },
          callWithinMs: 20_000,
        },
      }),
    ] as Doubt[],
    doubtsProgress: complete,
    kafka: { up: true, detail: "" },
    underWay: 1,
    /** Whether anything but the doubts is known. */
    isKnown: true,
    letters: [
      aLetter(nowMs, 0, 7),
      aLetter(nowMs, 1, 3, {
        reason: "UNREADABLE_COMMAND",
        source: "command",
        receivedAtMs: null,
        origin: { topic: "fx.commands", partition: 1, offset: 991, timestampMs: nowMs - 9 * MINUTE },
        detail: "neither JSON nor Avro",
        preview: "\u0000\u0001binary",
        obstacle: null,
      }),
    ] as DeadLetter[],
    value: Buffer.from(
      '{"event":"TRANSACTION_STATUS_UPDATED","transaction":{"id":"tx-1","amount":1234.500000000000000001}}',
    ) as Buffer | null,
    replayed: [] as string[],
    storyProgress: complete,
    notes: [] as string[],
    /** Asked before each promised answer. */
    answer: (): Promise<void> => Promise.resolve(),
    proposals: [] as Proposal[],
    /** What the next decision comes to; null: it is resolved. */
    ended: null as ResolveOutcome | null,
    pauses,
    replicas: [
      { clientId: "cambio-bridge-7d9f-a", host: "/10.0.4.17", partitions: [0, 1, 2], isReconciling: true },
      { clientId: "cambio-bridge-7d9f-b", host: "/10.0.4.21", partitions: [3, 4, 5], isReconciling: false },
    ] as Overview["replicas"],
  };

  const overview = (): Overview => ({
    atMs: now(),
    kafka: state.kafka,
    doubts: {
      count: state.doubts.length,
      oldestAtMs: state.doubts[0]?.atMs ?? null,
      underWay: state.underWay,
      progress: state.doubtsProgress,
    },
    deadLetters: {
      records: state.isKnown ? 214 : null,
      lastHour: state.letters.length,
      newestAtMs: state.letters[0]?.timestampMs ?? null,
    },
    rates: [
      { topic: "fx.transaction-status", of: "events", perMinute: wave(140, 1) },
      { topic: "fx.commands", of: "commands", perMinute: wave(40, 2) },
      { topic: "fx.command-results", of: "results", perMinute: wave(40, 2) },
      { topic: "fx.dead-letters", of: "dead letters", perMinute: wave(2, 4) },
    ],
    lag: {
      records: state.isKnown ? 12 : null,
      hour: [...Array<null>(18).fill(null), ...wave(30, 5).slice(18)],
      partitions: [0, 1, 2, 3, 4, 5].map((partition) => ({
        partition,
        committed: partition === 5 ? null : 10_200 + partition * 31,
        end: 10_200 + partition * 31 + (partition === 3 ? 12 : 0),
        lag: partition === 3 ? 12 : 0,
      })),
    },
    replicas: state.isKnown ? state.replicas : null,
    pauses: state.isKnown ? { ...state.pauses } : null,
    lastReconcile: { completeAtMs: nowMs - 4 * MINUTE },
  });

  const detailOf = (letter: DeadLetter): LetterDetail => ({
    letter,
    key: Buffer.from("tx-1"),
    value: state.value,
    headers: [
      ["ce_type", "cambio.bridge.dead-letter"],
      ["x-note", 'quote " and <b>'],
    ],
    replayed: state.replayed,
  });

  const queries: Queries = {
    overview,
    doubts: (from, count) => ({
      doubts: state.doubts.slice(from, from + count),
      count: state.doubts.length,
      progress: state.doubtsProgress,
    }),
    doubt: (commandId) => state.doubts.filter((doubt) => doubt.commandId === commandId),
    command: (commandId) => ({
      commandId,
      notes: state.notes,
      progress: state.storyProgress,
      steps: [
        step(nowMs, 43, 991, {
          kind: "command",
          title: "The command was sent",
          tone: "plain",
          place: { topic: "fx.commands", partition: 1, offset: 991 },
          facts: [
            ["operation", "ACCEPT_QUOTE"],
            ["quoteId", "9f1c2a44"],
          ],
          payload: '{"commandId":"order-71-accept"}',
        }),
        step(nowMs, 42, 1_204, {
          kind: "claim",
          title: "A replica claimed the call",
          tone: "plain",
          facts: [["attempt", "b0ff"]],
        }),
        step(nowMs, 41, 1_209, {
          kind: "doubt",
          title: "Nobody knows whether it was executed",
          tone: "bad",
          facts: [
            ["error", "OUTCOME_UNKNOWN"],
            ["HTTP", "502"],
          ],
        }),
        step(nowMs, 2, 1_400, { kind: "result", title: "SUCCEEDED, by an operator", tone: "good" }),
      ],
    }),
    transaction: (transactionId) => ({
      transactionId,
      direction: "OUTBOUND",
      mainFlow: OUTBOUND,
      notes: state.notes,
      progress: state.storyProgress,
      statuses: [
        ["AWAITING_PAYMENT", "AWAITING_FUNDS", 90, "WEBHOOK", false],
        ["PAYMENT_ISSUE", "ISSUE", 80, "WEBHOOK", false],
        ["SETTLEMENT_IN_PROGRESS", "IN_PROGRESS", 30, "WEBHOOK", false],
        ["PAYMENT_CONFIRMED", "IN_PROGRESS", 60, "NOTIFICATION_LOG", true],
        ["SOMETHING_NEW", "UNKNOWN", 10, "WEBHOOK", false],
      ].map(([status, stage, minutes, source, outOfOrder], index) => ({
        status: status as string,
        stage: stage as string,
        occurredAtMs: nowMs - (minutes as number) * MINUTE,
        receivedAtMs: nowMs - (90 - index) * MINUTE,
        source: source as "WEBHOOK" | "NOTIFICATION_LOG",
        outOfOrder: outOfOrder as boolean,
        eventId: `73fc03d10f5d07d43d16f05732${index}`,
        place: { topic: "fx.transaction-status", partition: 4, offset: 700 + index },
        payload: JSON.stringify({ transactionId, status }),
      })),
    }),
    letters: async (filter, from) => {
      await state.answer();
      const found = state.letters.filter(({ reason }) => filter.reason === null || filter.reason === reason);
      const start = Number(from ?? 0);
      return {
        letters: found.slice(start, start + 50),
        next: found.length > start + 50 ? String(start + 50) : null,
        searchedBackToMs: null,
      };
    },
    letter: async (ref) => {
      await state.answer();
      const letter = state.letters.find(({ place }) => refOf(place) === ref);
      return letter ? detailOf(letter) : null;
    },
    audit: async (before) => {
      await state.answer();
      const line = {
        actionId: "a-17",
        action: "resolve",
        subject: "order-71-accept",
        by: "ana",
        note: "FX-123: confirmed by phone",
        from: { host: "ops-1", user: "ana", program: "cli", address: "" },
        parameters: '{"as":"succeeded"}',
      };
      const lines = [
        {
          ...line,
          atMs: nowMs - 2 * MINUTE,
          place: { topic: "fx.bridge-audit", partition: 0, offset: 12 },
          outcome: { kind: "done", text: "fx.command-journal[3]@1400" },
        },
        {
          ...line,
          atMs: nowMs - 3 * MINUTE,
          place: { topic: "fx.bridge-audit", partition: 0, offset: 11 },
          outcome: null,
        },
      ];
      return before === null ? { lines, next: 11 } : { lines: [], next: null };
    },
    onChange: (hear) => {
      hearers.add(hear);
      return () => hearers.delete(hear);
    },
  };

  const note = (what: string, actor: Actor, given: unknown): void => {
    did.push({ what, actor, with: given });
  };

  const actions: Actions = {
    resolve: async (actor, asked) => {
      note("resolve", actor, asked);
      await state.answer();
      if (state.ended) return state.ended;
      state.doubts = state.doubts.filter(({ commandId }) => commandId !== asked.commandId);
      return {
        kind: "resolved",
        result: resultOf(asked, now()),
        place: "fx.command-journal[3]@1400",
        published: "fx.command-results[2]@871",
      };
    },
    proposals: async () => {
      await state.answer();
      return state.proposals;
    },
    plan: async (actor, selection, again) => {
      note("plan", actor, { selection, again });
      await state.answer();
      return {
        planId: "plan-1",
        send: [{ ref: "0/7", topic: "the webhook flow", preview: state.letters[0]?.preview ?? "" }],
        sendCount: 1,
        skipped: [{ ref: "1/3", why: "sent before", detail: "by ana at fx.commands[1]@999" }],
        skippedCount: 1,
        warnings: ["Their senders may have sent them again."],
      };
    },
    replay: async (actor, planId) => {
      note("replay", actor, planId);
      await state.answer();
      const run = runs.get("run-1") ?? {
        runId: "run-1",
        by: actor.by,
        startedAtMs: now(),
        total: 4,
        sent: 1,
        duplicates: 1,
        left: 0,
        unknown: 0,
        last: [{ ref: "0/7", text: "stands at fx.transaction-status[4]@812" }],
        state: "running" as const,
        detail: null,
      };
      runs.set(run.runId, run);
      return run;
    },
    run: (runId) => runs.get(runId) ?? null,
    cancel: (actor, runId) => {
      note("cancel", actor, runId);
      const run = runs.get(runId);
      if (run) runs.set(runId, { ...run, state: "cancelling" });
      return runs.get(runId) ?? null;
    },
    pause: async (actor, flow, untilMs) => {
      note("pause", actor, { flow, untilMs });
      await state.answer();
      const before = state.pauses[flow];
      state.pauses[flow] = {
        flow,
        says: "pause",
        by: actor.by,
        note: actor.note,
        atMs: now(),
        untilMs,
        actionId: "a-20",
      };
      return { place: "fx.bridge-control[0]@4", before };
    },
    resume: async (actor, flow) => {
      note("resume", actor, { flow });
      await state.answer();
      const before = state.pauses[flow];
      state.pauses[flow] = {
        flow,
        says: "resume",
        by: actor.by,
        note: actor.note,
        atMs: now(),
        untilMs: null,
        actionId: "a-21",
      };
      return { place: "fx.bridge-control[0]@5", before };
    },
  };

  return {
    queries,
    actions,
    state,
    did,
    runs,
    hearers,
    change: (): void => {
      for (const hear of hearers) hear();
    },
  };
};

export type ConsoleFakes = ReturnType<typeof consoleFakes>;
