import { backoffMs } from "../../runtime/backoff.ts";
import type { Clock } from "../../runtime/clock.ts";
import { yieldToEventLoop } from "../../runtime/event-loop.ts";
import { protocolErrorOf, brokerRefusal } from "../errors.ts";
import type { PendingRecord } from "./backlog.ts";
import type { FirstOffsets, Sender, SendResult } from "./session.ts";

/** Bounds the latency that a batch adds to its first record. */
const MAX_BATCH_RECORDS = 1_000;
/** Below the 1 MB that brokers accept by default. */
const MAX_BATCH_BYTES = 768 * 1024;
const BACKOFF = { baseMs: 100, maxMs: 1_000 };

export type LaneOwner = {
  openSender: () => Promise<Sender>;
  clock: Clock;
  random: () => number;
  closed: AbortSignal;
  written: (lane: Lane, batch: readonly PendingRecord[], firstOffsets: FirstOffsets) => void;
  /** The topic does not take this record, whose batch was refused with this error. */
  refused: (item: PendingRecord, code: "refused" | "invalid", error: unknown) => void;
  /** These records are queued again. `isAnswer`: a broker refused their partitions; else the connection is replaced. */
  failed: (lane: Lane, unwritten: readonly PendingRecord[], error: unknown, isAnswer: boolean) => void;
};

/** A queue of records with its own connection and one request under way. What fails here delays no other lane. */
export class Lane {
  readonly #owner: LaneOwner;
  readonly #brokerTimeoutMs: number;
  #sender: Sender | null = null;
  #queue: PendingRecord[] = [];
  #sending: { batch: readonly PendingRecord[]; giveUp: (reason: Error) => void; since: number } | null = null;
  /** Lower after the topic has refused a batch as too large. (A refused batch may be written in part.) */
  #maxBatchRecords = MAX_BATCH_RECORDS;
  isRunning = false;
  #failures = 0;

  /** @param brokerTimeoutMs after this the broker says which partitions have not been replicated */
  constructor(owner: LaneOwner, brokerTimeoutMs: number) {
    this.#owner = owner;
    this.#brokerTimeoutMs = brokerTimeoutMs;
  }

  push(item: PendingRecord): void {
    this.#queue.push(item);
    this.#start();
  }

  /** Takes over records of another lane, which may be older than those that are queued. */
  merge(items: readonly PendingRecord[]): void {
    this.#queue = [...this.#queue, ...items].sort((a, b) => a.sequence - b.sequence);
    this.#start();
  }

  #start(): void {
    if (!this.isRunning) void this.#run();
  }

  /** All records that are queued or being sent, including settled ones. */
  items(): PendingRecord[] {
    return [...(this.#sending?.batch ?? []), ...this.#queue];
  }

  takeAll(): PendingRecord[] {
    return this.#queue.splice(0).filter((item) => !item.isSettled);
  }

  sendingMs(now: number): number {
    return this.#sending ? now - this.#sending.since : 0;
  }

  giveUp(reason: Error, isLost: (item: PendingRecord) => boolean = () => true): void {
    if (this.#sending?.batch.some(isLost)) this.#sending.giveUp(reason);
  }

  dropSettled(): void {
    this.#queue = this.#queue.filter((item) => !item.isSettled);
  }

  async close(): Promise<void> {
    await this.#sender?.close();
    this.#sender = null;
  }

  async #run(): Promise<void> {
    const { clock, random, closed } = this.#owner;
    this.isRunning = true;
    for (;;) {
      // Records that arrive in the same turn of the event loop go into the same batch.
      await yieldToEventLoop();
      if (closed.aborted || this.#queue.length === 0) break;
      if (await this.#sendNext()) {
        this.#failures = 0;
        continue;
      }
      await clock.sleep(backoffMs(BACKOFF, this.#failures, random()), closed).catch(() => undefined);
      this.#failures += 1;
    }
    this.isRunning = false;
    // It may have been opened after the publisher was closed.
    if (closed.aborted) await this.close();
  }

  /** Whether the next batch may be sent at once: after a refusal it may, because it is smaller. */
  async #sendNext(): Promise<boolean> {
    const { openSender, clock, written } = this.#owner;
    let unwritten: readonly PendingRecord[] = [];
    try {
      const sender = (this.#sender ??= await openSender());
      const batch = (unwritten = this.#take());
      if (batch.length === 0) return true;
      const { firstOffsets, failure } = await new Promise<SendResult>((resolve, reject) => {
        this.#sending = { batch, giveUp: reject, since: clock.monotonic() };
        sender.send(batch, this.#brokerTimeoutMs).then(resolve, reject);
      });
      this.#sending = null;
      written(this, batch, firstOffsets);
      if (failure === null) return true;
      unwritten = batch.filter(({ partition }) => !firstOffsets.has(partition));
      return this.#failed(unwritten, failure, true);
    } catch (error) {
      this.#sending = null;
      return this.#failed(unwritten, error, protocolErrorOf(error) !== "");
    }
  }

  #failed(unwritten: readonly PendingRecord[], error: unknown, isAnswer: boolean): boolean {
    const { refused, failed } = this.#owner;
    const refusal = brokerRefusal(error);
    const [only] = unwritten;
    if (refusal !== null && only && unwritten.length === 1) {
      refused(only, refusal, error);
      // The record itself was too large, not the number of records.
      this.#maxBatchRecords = MAX_BATCH_RECORDS;
      return true;
    }
    this.#queue = [...unwritten, ...this.#queue];
    if (refusal !== null) {
      this.#maxBatchRecords = Math.max(1, unwritten.length >> 1);
      return true;
    }
    // After any other error than a broker's answer, the state of the connection is unknown.
    if (!isAnswer) void this.close();
    failed(this, unwritten, error, isAnswer);
    this.dropSettled();
    return false;
  }

  /** The next batch, without settled records. At least one record if there is any, however large. */
  #take(): PendingRecord[] {
    const batch: PendingRecord[] = [];
    let bytes = 0;
    let count = 0;
    for (const item of this.#queue) {
      const isFull = batch.length === this.#maxBatchRecords;
      if (isFull || (batch.length > 0 && bytes + item.bytes > MAX_BATCH_BYTES)) break;
      count += 1;
      if (item.isSettled) continue;
      batch.push(item);
      bytes += item.bytes;
    }
    this.#queue.splice(0, count);
    return batch;
  }
}
