import type { Socket } from "node:net";
import { startStopwatch, type Stopwatch } from "../../runtime/stopwatch.ts";
import { turn } from "../../runtime/turn.ts";
import { trustIn, type Distrust, type TrustOptions } from "./trust.ts";

/** A connection that was open for so long and carries no call. */
export type Idle = {
  readonly socket: Socket;
  readonly age: Stopwatch;
  /** Whether something came over it that belongs to no answer. */
  readonly spoke: () => boolean;
};

/** An idle connection that is lent for one more call. */
export type Lent<T extends Idle> = {
  readonly connection: T;
  /** Whether it was idle so briefly that a call may begin on it. Asked in the step that hands over the bytes. */
  readonly isFresh: () => boolean;
  /**
   * To be said once.
   * - `answered`: a final status line arrived
   * - `unsent`: nothing was sent
   * - `lost`: the call was sent, and what became of it is not known
   */
  readonly ended: (how: "answered" | "unsent" | "lost") => void;
};

export type KeepAlive<T extends Idle> = {
  /**
   * The connection that has rested longest, where used ones are trusted; null where the call needs a new one.
   * @param atMost how many may stay idle beside a new one
   */
  lend: (atMost: number) => Lent<T> | null;
  /** Takes a connection whose call was answered in full. */
  keep: (connection: T) => void;
  /** Closes what is idle beyond so many. */
  trim: (atMost: number) => void;
  /** Closes what is idle, and keeps nothing any more. */
  close: () => void;
};

/** A partner that leaves a connection idle for so long does not close others that were idle for a quarter of it. */
const PROVEN_AFTER_MS = 1_000;
const FRESH_MS = PROVEN_AFTER_MS / 4;
/** What comes after an answer without being asked for, be it a second answer or the end, mostly comes at once. */
const REST_MS = 5;
/** The partner's name may mean another address by then. */
const MAX_AGE_MS = 60_000;

/**
 * Connections that carry more than one call. A partner that closes a connection just when a call is sent on it leaves open whether it was
 * executed, so used connections have to earn it: first a single one is left idle for much longer than any ever is before its next call,
 * then one call at a time is made on a used connection, and after each that is answered twice as many may be. One that is closed early, or
 * does not answer, ends that for a while: every call gets a connection of its own then.
 */
export const keepAlive = <T extends Idle>(options: TrustOptions): KeepAlive<T> => {
  const { clock } = options;
  const trust = trustIn(options);
  type Entry = { connection: T; idleMs: Stopwatch };
  /** The one that was used last at the end. Lent is the one that has rested longest: what comes late over it is noticed then. */
  let idle: Entry[] = [];
  let probe: (Entry & { stop: AbortController }) | null = null;
  let lent = 0;
  const known = new WeakSet<T>();

  const isProbe = (connection: T): boolean => probe?.connection === connection;

  const endProbe = (): void => {
    probe?.stop.abort();
    probe = null;
  };

  const trim = (atMost: number): void => {
    const dropped = idle.slice(0, Math.max(idle.length - atMost, 0));
    idle = idle.slice(dropped.length);
    if (probe && idle.length >= atMost) {
      dropped.push(probe);
      endProbe();
    }
    for (const { connection } of dropped) connection.socket.destroy();
  };

  const distrust = (why: Distrust): void => {
    trust.lose(why);
    trim(0);
  };

  /** What is closed here was let go of before. */
  const closed = (connection: T): void => {
    const entry = isProbe(connection) ? probe : idle.find((one) => one.connection === connection);
    if (!entry) return;
    if (entry === probe) endProbe();
    idle = idle.filter((one) => one !== entry);
    if (connection.spoke()) distrust("spoke-unasked");
    else if (entry.idleMs() < PROVEN_AFTER_MS) distrust("closed-early");
  };

  const leaveAlone = async (entry: Entry): Promise<void> => {
    const stop = new AbortController();
    probe = { ...entry, stop };
    await clock.sleep(PROVEN_AFTER_MS, stop.signal);
    // After a freeze the sleep is over before anybody has noticed what happened to the connection meanwhile.
    await turn();
    if (!isProbe(entry.connection)) return;
    trust.earn();
    endProbe();
    entry.connection.socket.destroy();
  };

  return {
    lend: (atMost) => {
      const entry = idle.find(({ connection: { socket }, idleMs }) => {
        // An answer may come before its request has left in full.
        const isFree = !socket.destroyed && socket.writableLength === 0;
        return isFree && idleMs() <= FRESH_MS;
      });
      if (!entry || lent >= trust.calls()) return null;
      // Where a new one is one too many, it would take this one's place.
      if (entry.idleMs() < REST_MS && idle.length <= atMost) return null;
      idle = idle.filter((one) => one !== entry);
      lent += 1;
      let wasOpen = false;
      return {
        connection: entry.connection,
        isFresh: () => {
          wasOpen = true;
          return entry.idleMs() <= FRESH_MS;
        },
        ended: (how) => {
          lent -= 1;
          if (how === "unsent" && !wasOpen) distrust("closed-early");
          if (how === "answered") trust.justify();
          if (how === "lost") distrust("call-lost");
        },
      };
    },

    keep: (connection) => {
      const { socket, age } = connection;
      if (connection.spoke()) distrust("spoke-unasked");
      if (socket.destroyed) return;
      const entry = { connection, idleMs: startStopwatch(clock) };
      const isUseful = trust.calls() > 0 ? age() < MAX_AGE_MS : probe === null && trust.mayBeEarned();
      if (!isUseful) {
        socket.destroy();
        return;
      }
      if (!known.has(connection)) socket.once("close", () => closed(connection));
      known.add(connection);
      if (trust.calls() > 0) idle.push(entry);
      else leaveAlone(entry).catch(() => undefined);
    },

    trim,

    close: () => {
      trust.end();
      trim(0);
    },
  };
};
