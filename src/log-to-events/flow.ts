import type { Notification } from "../notification/notification.ts";
import { EventRefused, type PublishOnce } from "../notification/publish-once.ts";
import type { TransactionStatusUpdated } from "../records.ts";
import { messageOf } from "../runtime/errors.ts";
import { asking, type AskOptions, type AskPorts, type Reading } from "./ask.ts";
import { comparison, type Comparison } from "./comparison.ts";
import { holder } from "./held.ts";
import type { Window } from "./period.ts";

export type RunRequest = {
  window: Window;
  /** Younger notifications are left to their webhooks. Milliseconds. */
  minAgeMs: number;
  /** Publishes nothing. */
  dryRun: boolean;
  /** Publishes also what is suspicious. */
  force: boolean;
  /** On the monotonic clock: for longer the partner cannot ask to wait. */
  giveUpAt: number;
};

export type Report = {
  result: "complete" | "incomplete" | "suspicious" | "failed";
  /** Whether everything of the window was read and compared, though some of it may not be understood, or be too large. */
  isWhole: boolean;
  /** Entries of the window, each attempt counted. */
  entries: number;
  /** Notifications, each counted once. With a dry run `published` is what would be. */
  known: number;
  published: number;
  tooYoung: number;
  /** Entries that are not understood. */
  unreadable: number;
  /** Sentences for people: why it is not complete. */
  reasons: string[];
};

export type LogOptions = AskOptions & {
  /** Transactions whose events are published at a time. */
  lanes: number;
};

/** What the flow does outside of itself. */
export type LogPorts = AskPorts & {
  /** Whether the event of this identity was published lately. */
  seen: (identity: string) => boolean;
  /** Hands over every event that stands in the topic from an instant on; rejects when it cannot tell all of them. */
  readEvents: (
    sinceMs: number,
    take: (event: TransactionStatusUpdated) => void,
    signal: AbortSignal,
  ) => Promise<void>;
  publishOnce: PublishOnce;
  /** Throws when this replica may not publish any more. Asked before each event. */
  mayPublish: () => void;
  published: (event: TransactionStatusUpdated) => void;
  /** Hears how far a run is. */
  progress: (step: Progress) => void;
};

export type Progress = { step: "reading the log" | "reading the topic" | "publishing"; done: number };

/** So many of one window, none of them known, while events of that window are: then it is the form that differs, not an outage. */
const SUSPICIOUS = 20;
/** The partner's clock may be ahead of Kafka's. */
const CLOCK_MARGIN_MS = 3_600_000;
/** A log is asked for in days, and an entry without an instant may be of any of them. */
const UNDATED_MARGIN_MS = 4 * 86_400_000;
const REPORT_EVERY = 1_000;

const SUSPICIOUS_REASON =
  "not one of the log's notifications is known, although events of the same time are: their form may differ";
const TOO_LARGE = "an event is larger than the topic takes";
const CHANGED = "the log did not show again what it had shown";

const resultOf = (isRead: boolean, reasons: readonly string[]): Report["result"] =>
  reasons.length === 0 ? "complete" : isRead ? "incomplete" : "failed";

/**
 * One run: what the partner's log shows of a window is compared with what was published, and what is missing is published. The log is read once,
 * and again where something is missing: nothing is held of what is known.
 */
export const logToEvents = (options: LogOptions, ports: LogPorts) => {
  const ask = asking(options, ports);
  const { progress } = ports;

  const isSuspicious = ({ counts, eventsOfWindow }: Comparison): boolean =>
    counts.known === 0 && counts.missing >= SUSPICIOUS && eventsOfWindow() > 0;

  /** Marks as known what stands in the topic. */
  const lookUp = (compared: Comparison, { window }: RunRequest, signal: AbortSignal): Promise<void> => {
    const sinceMs = window.fromMs - (compared.undated() > 0 ? UNDATED_MARGIN_MS : CLOCK_MARGIN_MS);
    let done = 0;
    return ports.readEvents(
      sinceMs,
      (event) => {
        compared.found(event);
        done += 1;
        if (done % REPORT_EVERY === 0) progress({ step: "reading the topic", done });
      },
      signal,
    );
  };

  /** Publishes what belongs to one transaction, the oldest first. */
  const publishInOrder = async (
    compared: Comparison,
    notifications: readonly Notification[],
    reasons: Set<string>,
  ): Promise<void> => {
    for (const notification of notifications) {
      const identity = compared.missing(notification);
      if (identity === null) continue;
      ports.mayPublish();
      try {
        const published = await ports.publishOnce(notification, {
          receivedAt: ports.clock.now(),
          source: "NOTIFICATION_LOG",
          traceparent: null,
          known: compared.about(notification.transactionId),
        });
        compared.settle(identity, published.kind === "published" ? "published" : "known");
        if (published.kind === "published") ports.published(published.event);
        if (compared.counts.published % REPORT_EVERY === 0)
          progress({ step: "publishing", done: compared.counts.published });
      } catch (error) {
        if (!(error instanceof EventRefused)) throw error;
        compared.settle(identity, "refused");
        reasons.add(TOO_LARGE);
      }
    }
  };

  /** Reads the log again and publishes what is missing, in as many turns as there is too much of it to be held. */
  const backFill = async (
    compared: Comparison,
    { window, giveUpAt }: RunRequest,
    signal: AbortSignal,
  ): Promise<string[]> => {
    const reasons = new Set<string>();
    for (;;) {
      const held = holder();
      const reading = await ask(
        window,
        (notification) => {
          const identity = compared.missing(notification);
          if (identity !== null) held.add(identity, notification);
          return identity !== null;
        },
        { giveUpAt, signal },
      );
      for (const reason of reading.reasons) reasons.add(reason);
      const transactions = held.byTransaction();
      if (transactions.length === 0) break;
      const publishNext = async (): Promise<void> => {
        for (let next = transactions.pop(); next !== undefined; next = transactions.pop())
          await publishInOrder(compared, next, reasons);
      };
      const lanes = Array.from({ length: options.lanes }, publishNext);
      // Where one fails, the others end what they are about, and begin nothing more.
      await Promise.all(lanes).finally(() => {
        transactions.length = 0;
        return Promise.allSettled(lanes);
      });
      if (compared.counts.missing === 0) break;
    }
    if (compared.counts.missing > 0) reasons.add(CHANGED);
    return [...reasons];
  };

  return async (request: RunRequest, signal: AbortSignal): Promise<Report> => {
    const { window, minAgeMs, dryRun, force, giveUpAt } = request;
    const compared = comparison({ window, youngSinceMs: ports.clock.now() - minAgeMs, seen: ports.seen });
    const { counts } = compared;
    const reading: Reading = { isRead: false, isWhole: false, entries: 0, unreadable: 0, reasons: [] };
    let taken = 0;

    const report = (result: Report["result"], more: readonly string[] = []): Report => {
      const notifications = Object.values(counts).reduce((sum, count) => sum + count, 0);
      const wouldPublish = dryRun && (result === "complete" || result === "incomplete");
      return {
        result,
        isWhole:
          reading.isWhole && (result === "complete" || (result === "incomplete" && counts.missing === 0)),
        entries: Math.max(reading.entries, notifications) + reading.unreadable,
        known: counts.known,
        published: wouldPublish ? counts.missing : counts.published,
        tooYoung: counts["too young"],
        unreadable: reading.unreadable + counts.refused,
        reasons: [...new Set([...reading.reasons, ...more])],
      };
    };

    try {
      const take = (notification: Notification): boolean => {
        taken += 1;
        if (taken % REPORT_EVERY === 0) progress({ step: "reading the log", done: taken });
        return compared.add(notification);
      };
      Object.assign(reading, await ask(window, take, { giveUpAt, signal }));
      if (counts.missing + counts["too young"] > 0) await lookUp(compared, request, signal);
      if (!force && isSuspicious(compared)) return report("suspicious", [SUSPICIOUS_REASON]);
      const more = counts.missing > 0 && !dryRun ? await backFill(compared, request, signal) : [];
      return report(resultOf(reading.isRead, [...reading.reasons, ...more]), more);
    } catch (error) {
      signal.throwIfAborted();
      return report("failed", [messageOf(error)]);
    }
  };
};

export type Reconcile = ReturnType<typeof logToEvents>;
