import { createHash } from "node:crypto";
import { choiceIn, fieldsFrom, numberIn, WrongInput } from "../runtime/wrong-input.ts";
import type { Change, LostAs, Sent } from "../types.ts";
import { lostAttempts, type Deliveries } from "./deliveries.ts";

/** Notifications with dates between two instants; each transaction goes through the statuses of `main`. */
type PastRequest = {
  count: number;
  from: number;
  to: number;
  /** The share of them that is lost, chosen at random. */
  lostShare: number;
  logged: LostAs;
  /** When false, nothing is posted, and the log shows all that are not lost as delivered. */
  send: boolean;
};

const maxCount = 2_000_000;
/** How many first attempts run at the same time. */
const lanes = 64;
/** The URL in the log when there is no subscription. */
const noReceiver = "http://nobody.invalid/";

const instant = (value: unknown, name: string): number => {
  const at = typeof value === "string" ? Date.parse(value) : NaN;
  if (Number.isNaN(at)) throw new WrongInput(`${name} must be an instant such as 2026-01-05T12:00:00Z`);
  return at;
};

/** Reads POST /_sandbox/log; throws a WrongInput. */
export const parsePast = (value: unknown): PastRequest => {
  const fields = fieldsFrom(value, ["count", "from", "to", "lostShare", "logged", "send"]);
  const { from, to, send = true } = fields;
  if (typeof send !== "boolean") throw new WrongInput("send must be true or false");
  const request = {
    count: Math.trunc(numberIn(fields, "count", 1, 1, maxCount)),
    from: instant(from, "from"),
    to: instant(to, "to"),
    lostShare: numberIn(fields, "lostShare", 0, 0, 1),
    logged: choiceIn(fields, "logged", ["failed", "delivered"], "failed"),
    send,
  };
  if (request.to < request.from) throw new WrongInput("to must not be before from");
  return request;
};

/** A number from 0 to 1 that follows from two whole numbers (the mixing step of MurmurHash3). */
const dice = (seed: number, n: number): number => {
  let mixed = (seed ^ Math.imul(n + 1, 0x9e3779b1)) >>> 0;
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return ((mixed ^ (mixed >>> 16)) >>> 0) / 2 ** 32;
};

const idOf = (seed: number, n: number): string => createHash("md5").update(`${seed} ${n}`).digest("hex");

type Batch = PastRequest & { seed: number; url: string };

type PastDeps = {
  deliveries: Deliveries;
  now: () => number;
  retryMs: number;
  statuses: readonly string[];
};

/** The past is generated whenever it is asked for, not stored: of a million notifications it keeps their number. */
export const createPast = ({ deliveries, now, retryMs, statuses }: PastDeps) => {
  let batches: Batch[] = [];
  let waiting = 0;
  /** Replaced by `clear`, which ends the sending that began before. */
  let epoch = {};

  const dateOf = ({ from, to, count }: Batch, nth: number): number =>
    Math.round(from + ((to - from) * (nth + 0.5)) / count);
  const isLost = ({ seed, lostShare }: Batch, nth: number): boolean => dice(seed, nth) < lostShare;
  const changeOf = (batch: Batch, nth: number): Change => {
    const transactions = Math.ceil(batch.count / statuses.length);
    const status = statuses[Math.floor(nth / transactions)] ?? "";
    return { transactionId: idOf(batch.seed, nth % transactions), status, createdAt: dateOf(batch, nth) };
  };

  /** Those that are sent become deliveries; the others are of the past. */
  const isSent = (batch: Batch, nth: number): boolean => batch.send && !isLost(batch, nth);

  const sendAll = (batch: Batch) => {
    const begun = epoch;
    let nth = 0;
    const sendOn = async () => {
      while (nth < batch.count && begun === epoch) {
        const own = nth++;
        if (!isSent(batch, own)) continue;
        await deliveries.sendNow(batch.url, changeOf(batch, own));
        if (begun === epoch) waiting -= 1;
      }
    };
    for (let lane = 0; lane < lanes; lane += 1) void sendOn();
  };

  const sentOf = (batch: Batch, nth: number, until: number): Sent => {
    const change = changeOf(batch, nth);
    const lost = isLost(batch, nth);
    const attempts = lostAttempts(change.createdAt, lost ? batch.logged : "delivered", retryMs);
    const made = attempts.filter(({ startedAt }) => startedAt <= until);
    return { ...change, url: batch.url, state: lost ? "dropped" : "delivered", attempts: made };
  };

  return {
    /** Adds them to the log, and begins to send those that are to be sent. */
    add: (request: PastRequest, url = noReceiver) => {
      const send = request.send && url !== noReceiver;
      const batch = { ...request, send, url, seed: Math.floor(Math.random() * 2 ** 32) };
      batches.push(batch);
      let lost = 0;
      for (let nth = 0; nth < batch.count; nth += 1) lost += isLost(batch, nth) ? 1 : 0;
      const toSend = send ? batch.count - lost : 0;
      waiting += toSend;
      if (send) sendAll(batch);
      return { notifications: batch.count, lost, toSend };
    },
    /** How many still wait for their first attempt. */
    waiting: () => waiting,
    *sent(fits: (createdAt: number, sentAt: number) => boolean, newestFirst: boolean): Generator<Sent> {
      const until = now();
      for (const batch of newestFirst ? batches.toReversed() : batches)
        for (let step = 0; step < batch.count; step += 1) {
          const nth = newestFirst ? batch.count - 1 - step : step;
          const createdAt = dateOf(batch, nth);
          if (!isSent(batch, nth) && fits(createdAt, createdAt)) yield sentOf(batch, nth, until);
        }
    },
    clear: () => {
      epoch = {};
      waiting = 0;
      batches = [];
    },
  };
};

export type Past = ReturnType<typeof createPast>;
