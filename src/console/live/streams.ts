import type { Clock } from "../../runtime/clock.ts";
import type { Queries } from "../ports.ts";

/** Of all users; each stream holds a connection. */
const MAX_STREAMS = 100;
/** Visible pages of one user; hidden ones have no stream. */
const MAX_OF_USER = 10;
/** Bounds how often pages are told of changes. */
const CHANGE_EVERY_MS = 1_000;
/** A page that receives nothing for 25 s treats the stream as broken. */
const BEAT_EVERY_MS = 10_000;
/** Then the browser connects again, and its sign-in is checked again. */
const MAX_AGE_MS = 600_000;
/** Unread events; a slower reader is disconnected, and connects again. */
const MAX_UNREAD = 16;

const bytes = new TextEncoder();
const CHANGE = bytes.encode("event: change\ndata:\n\n");
const BEAT = bytes.encode("event: beat\ndata:\n\n");

type Stream = { user: string | null; write: (chunk: Uint8Array) => void; end: () => void };

/** Server-sent events that carry no data: they only tell a page to load its parts again. */
export const createLiveStreams = (queries: Pick<Queries, "onChange">, clock: Clock) => {
  const streams = new Set<Stream>();
  let unsubscribe: (() => void) | null = null;
  let hasChanged = false;

  const sendToAll = (chunk: Uint8Array): void => {
    for (const stream of streams) stream.write(chunk);
  };

  const announceChange = (): void => {
    if (hasChanged) return;
    hasChanged = true;
    void clock.sleep(CHANGE_EVERY_MS).then(() => {
      hasChanged = false;
      sendToAll(CHANGE);
    });
  };

  const remove = (stream: Stream): void => {
    streams.delete(stream);
    if (streams.size > 0) return;
    unsubscribe?.();
    unsubscribe = null;
  };

  /** Sends heartbeats until the stream is closed or too old. */
  const sendHeartbeats = async (stream: Stream, untilMs: number, signal: AbortSignal): Promise<void> => {
    while (streams.has(stream) && clock.monotonic() < untilMs) {
      stream.write(BEAT);
      // The browser may leave during the sleep.
      await clock.sleep(BEAT_EVERY_MS, signal).catch(() => undefined);
    }
    stream.end();
  };

  /** A Set keeps the order in which its streams were opened. */
  const makeRoomFor = (user: string): void => {
    const own = [...streams].filter((stream) => stream.user === user);
    if (own.length >= MAX_OF_USER) own[0]?.end();
  };

  /**
   * Null when too many are open. A user who has all of their own ones open gets a new one for the oldest:
   * a client that vanished without a word holds its streams until they are too old.
   * @param user null without sign-in: then only the bound of all applies
   */
  const open = (user: string | null): ReadableStream<Uint8Array> | null => {
    if (user !== null) makeRoomFor(user);
    if (streams.size >= MAX_STREAMS) return null;
    const gone = new AbortController();
    let stream: Stream | null = null;
    return new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          const end = (): void => {
            if (!streams.has(mine)) return;
            remove(mine);
            gone.abort(new Error("the stream is over"));
            controller.close();
          };
          const write = (chunk: Uint8Array): void => {
            if (!streams.has(mine)) return;
            if ((controller.desiredSize ?? 0) <= 0) end();
            else controller.enqueue(chunk);
          };
          const mine: Stream = { user, write, end };
          stream = mine;
          streams.add(mine);
          unsubscribe ??= queries.onChange(announceChange);
          void sendHeartbeats(mine, clock.monotonic() + MAX_AGE_MS, gone.signal);
        },
        cancel: () => {
          if (stream) remove(stream);
          gone.abort(new Error("the browser went away"));
        },
      },
      { highWaterMark: MAX_UNREAD },
    );
  };
  return { open, count: () => streams.size };
};

export type LiveStreams = ReturnType<typeof createLiveStreams>;
