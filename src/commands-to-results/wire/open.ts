import { randomUUID } from "node:crypto";
import { createExecute } from "../accept-once/execute.ts";
import { retryUntilAborted } from "../accept-once/kafka-retry.ts";
import { commandsToResults } from "../flow.ts";
import { guardFor } from "../guard.ts";
import { endLeftovers } from "../accept-once/loops.ts";
import type { Contradiction, Deps } from "../accept-once/ports.ts";
import { startOrderedConsumer, type Handle } from "../../kafka/consume/ordered-consumer.ts";
import { NO_HEADERS } from "../../kafka/headers.ts";
import type { Incoming } from "../../kafka/record.ts";
import { messageOf } from "../../runtime/errors.ts";
import { RULES, type Health } from "../../runtime/health.ts";
import { iso } from "../../runtime/instant.ts";
import { watchPartner } from "./partner-health.ts";
import { commandReader } from "./read.ts";
import { openJournal } from "../accept-once/journal/open.ts";
import type { Services } from "../../kafka/wire/services.ts";
import type { Partner } from "../../partner/client.ts";
import type { Component } from "../../runtime/subsystem.ts";
import { openResults } from "./results.ts";
import { observed, tracedPorts } from "./observe.ts";
import { contextOf, type TraceContext } from "../../runtime/traces.ts";

const TAKEOVER_MARGIN_MS = 5_000;
const BACKOFF = { baseMs: 250, maxMs: 5_000 };
const LEFTOVERS = { afterMs: 30_000, everyMs: 5_000 };
/** Memory for commands that were read and are not finished: see docs/operations.md. */
const MAX_HELD_BYTES = 128 * 1_048_576;
/** How long a member stays whose journal is down, in session timeouts. */
const LEAVE_AFTER_SESSIONS = 2;
/** The last part of a drain, after open calls are cut off; LEAVE_MS of it for the last commit and leaving the group. */
const CONCLUDE_MS = 3_000;
const LEAVE_MS = 1_000;

type CommandFlowDeps = {
  services: Services;
  /** Makes a record a dead letter. Rejects if the letter may not be durable. */
  park: (record: Incoming, reason: string, detail: string, parent: TraceContext | null) => Promise<unknown>;
  partner: Partner;
  schemaIds: { command: number; result: number; journal: number };
  /** What people have paused. `follow` calls `hold` at once and at each change. */
  pauses: {
    /** Whether it is known what is paused. */
    isRead: () => boolean;
    health: () => Health;
    follow: (flow: "commands", hold: (isHeld: boolean) => void) => void;
    isHeld: (flow: "commands" | "accepts") => boolean;
  };
  signal: AbortSignal;
};

export type CommandFlow = Awaited<ReturnType<typeof openCommands>>;

export const openCommands = async (flowDeps: CommandFlowDeps) => {
  const { services, park, partner, schemaIds, pauses, signal } = flowDeps;
  const { config, clock, log, metrics, random } = services;
  const { partner: settings, commands, kafka } = config;
  const results = await openResults(services, schemaIds.result);
  const started = Promise.withResolvers<null>();
  const { journal, view, ...journalTopic } = await openJournal(services, schemaIds.journal, {
    askNotes: async (cluster) =>
      [...(await cluster.committed(kafka.groupId, config.topics.commands)).values()].map(({ note }) => note),
    contradicted: ({ ref, position, timestampMs, saysExecuted }) => {
      metrics.contradictions.inc();
      const [said, standing] = saysExecuted ? ["executed", "not executed"] : ["not executed", "executed"];
      log.error({ ...ref, said, standing, ...position, at: iso(timestampMs) }, "command.contradicted");
    },
    mayBeginChanged: () => void started.promise.then(() => suspendIfHeld()),
  });
  // If the process was asked to stop meanwhile, nobody would stop what starts below.
  signal.throwIfAborted();
  let isExcused = false;
  const cut = new AbortController();
  const abandon = new AbortController();

  const contradiction = async ({ ref, conclusion, standing }: Contradiction): Promise<void> => {
    // The dead letter has the key that the result would have.
    const [key, value] = [Buffer.from(ref.commandId), results.codec.encode(conclusion)];
    const place = { topic: config.topics.results, partition: -1, offset: -1, timestampMs: clock.now() };
    const detail = `the final result is ${standing.outcome}`;
    await park({ ...place, key, value, headers: NO_HEADERS }, "CONTRADICTING_ANSWER", detail, null);
  };

  /** Since when the oldest doubt stands; Infinity where there is none. */
  const oldestDoubtMs = (): number => Math.min(...view.doubts().map(({ sinceMs }) => sinceMs));
  const doubtSinceMs = (): number | null =>
    settings.pauseOnDoubt && view.doubts().length > 0 ? oldestDoubtMs() : null;
  const partnerWatch = watchPartner({ ...services, backlog: partner.backlog, doubtSinceMs });
  const call = partnerWatch.watched(partner.call);

  const deps: Deps = {
    clock,
    view,
    journal,
    random,
    guard: guardFor({ ...commands, maxAmounts: commands.maxAmounts ?? new Map() }),
    codec: results.codec,
    contradiction,
    permit: partner.permit,
    call,
    traced: tracedPorts(services, { call, journal }, partner.mask),
    publish: results.publish,
    acceptsPaused: () => pauses.isHeld("accepts"),
    mayStart: () => clock.monotonic() - consumer.lastHeartbeat() < kafka.sessionTimeoutMs,
    newId: () => randomUUID(),
    observer: {
      takeover: (ref, attemptId) => log.warn({ ...ref, attemptId }, "command.owner.lost"),
      breaker: partnerWatch.breaker,
      retrying: (what, error) => log.warn({ what, reason: messageOf(error) }, "command.retrying"),
    },
    options: {
      callWithinMs: settings.connectTimeoutMs + settings.callTimeoutMs,
      beginWithinMs: settings.connectTimeoutMs,
      takeoverMarginMs: TAKEOVER_MARGIN_MS,
      deadlineMs: commands.deadlineMs,
      pauseOnDoubt: settings.pauseOnDoubt,
      breakerFailures: settings.breakerFailures,
      breakerPauseMs: settings.breakerPauseMs,
      backoff: BACKOFF,
    },
  };

  const flow = commandsToResults({
    read: commandReader(services, schemaIds.command),
    execute: createExecute(deps),
    publish: async (result, envelope) => {
      await results.publish(result, results.codec.encode(result), envelope);
    },
    retry: (effect, signal) => retryUntilAborted({ deps }, "publish", signal, effect),
    park: async (record, reason, detail) => {
      await park(record as typeof record & Incoming, reason, detail, contextOf(record));
    },
    now: clock.now,
  });

  const handle: Handle = (record, { slot, signal }) => {
    const signals = { stop: signal, cut: cut.signal, abandon: abandon.signal };
    return observed(services, record, (traced) => flow(traced, signals, slot));
  };

  let wellAt = Number.NEGATIVE_INFINITY;
  /** Nobody would answer what a replica without the journal takes: it leaves its share to others. */
  const mayJoin = (): boolean => {
    const isWell = view.ready() && RULES[journalTopic.health().kind].keepsShare && pauses.isRead();
    if (isWell) wellAt = clock.monotonic();
    return clock.monotonic() - wellAt < LEAVE_AFTER_SESSIONS * kafka.sessionTimeoutMs;
  };
  const consumer = startOrderedConsumer(
    {
      topic: config.topics.commands,
      groupId: kafka.groupId,
      sessionTimeoutMs: kafka.sessionTimeoutMs,
      maxInFlight: commands.maxInFlight,
      maxHeldBytes: MAX_HELD_BYTES,
      note: () => partnerWatch.noteAfter(journalTopic.note()),
      ...journalTopic.counting,
      mayJoin,
    },
    handle,
    services,
  );
  partner.shareRate(consumer.share);
  const suspendIfHeld = (): void => consumer.suspend(pauses.isHeld("commands") || !journalTopic.mayBegin());
  pauses.follow("commands", suspendIfHeld);
  started.resolve(null);
  const pace = { ...LEFTOVERS, signal: abandon.signal };
  const ending = endLeftovers({ ...deps, publish: results.publishLate }, pace).catch(() => undefined);

  return {
    /** `doubts`: commands that are IN_DOUBT, and since when the oldest is. */
    numbers: () => ({
      unfinished: consumer.unfinished(),
      inFlight: consumer.inFlight(),
      doubts: view.doubts().length,
      oldestDoubtSeconds: Math.max(0, clock.now() - oldestDoubtMs()) / 1_000,
    }),
    lag: consumer.lag,
    components: (): Record<string, Component> => {
      const [health, journalHealth] = [consumer.health(), journalTopic.health()];
      // Readiness waits for the first join only: no restart would mend a later rebalance or an empty assignment. Where
      // a partition of the journal, or of the pauses, keeps it from joining, webhooks do not wait for the join at all.
      isExcused ||=
        consumer.isMember() ||
        [journalHealth, pauses.health()].some(({ kind }) => kind === "unreadPartitions");
      const note = `partitions ${consumer.assignment().join(" ") || "none"}`;
      return {
        ...results.components(),
        partner: partnerWatch.component(),
        journal: { health: journalHealth, serves: "commands" },
        "commands-group": { health, note, serves: isExcused ? null : "commands" },
      };
    },
    waiting: () => ({ ...results.waiting(), [config.topics.journal]: journalTopic.waiting() }),
    /** Takes no new command, finishes those under way, commits, and leaves the group, within `ms`. */
    drain: async (ms: number): Promise<void> => {
      const cutOff = (): void => cut.abort(new Error("the process stops"));
      const cutting = setTimeout(cutOff, Math.max(0, ms - CONCLUDE_MS));
      const stopping = consumer.stop(Math.max(0, ms - LEAVE_MS));
      await clock.within(ms, undefined, stopping).catch(() => undefined);
      clearTimeout(cutting);
      abandon.abort(new Error("the process has stopped"));
    },
    close: async (): Promise<void> => {
      await ending;
      await Promise.all([results.close(), journalTopic.close()]);
    },
  };
};
