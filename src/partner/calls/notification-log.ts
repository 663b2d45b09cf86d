import { DeadlineError, type Clock } from "../../runtime/clock.ts";
import { linkedAbortController } from "../../runtime/linked-abort.ts";
import type { Download, Downloaded } from "../connection/download.ts";
import type { CallLimiter } from "../connection/call-limiter.ts";
import { reasonOf } from "../connection/connection.ts";
import type { FetchLog, LogAnswer, LogQuery } from "../types.ts";
import { bodyText, readRetryAfter, unpack } from "./answer.ts";
import { decompressed } from "./decompress.ts";
import { headersOfCall, type Caller } from "./request.ts";
import { MAX_REASON_LENGTH, type Mask } from "../../runtime/mask.ts";

export type FetchLogOptions = Caller & {
  /** Name of the query parameter for the last day. */
  logEndParameter: string;
  logMaxBytes: number;
  callTimeoutMs: number;
  clock: Clock;
  download: Download;
  turnBehindOthers: CallLimiter["turnBehindOthers"];
  /** Ends every call. */
  closed: AbortSignal;
};

/** How long a read waits for a turn of the rate limit that no command needs. */
const WAIT_MS = 300_000;
/** For the whole answer, from the request to the end of the body. */
const WHOLE_MS = 600_000;
/** How much is kept of the body of an answer that is not 2xx. */
const MAX_REFUSAL_BYTES = 4_096;

const ignore = (): undefined => undefined;
const messageIn = (reason: unknown, mask: Mask): Error =>
  new Error(mask(reasonOf(reason), MAX_REASON_LENGTH));

async function* of(text: string): AsyncGenerator<Uint8Array> {
  yield await Promise.resolve(Buffer.from(text));
}

/** Reads the partner's notification log, each time over a connection of its own. Other calls have their turn first. */
export const fetchLogWith = (options: FetchLogOptions): FetchLog => {
  const { basePath, credentials, userAgent, logEndParameter, logMaxBytes, clock, maskOf } = options;

  const pathOf = ({ startDate, endDate, eventType }: LogQuery): string => {
    const query = new URLSearchParams({ startDate, [logEndParameter]: endDate });
    if (eventType !== null) query.set("eventType", eventType);
    return `${basePath}/corporate/v1/webhook/logs?${query.toString()}`;
  };

  /** The start of the body of a refusal, as much of it as comes in time. */
  const refusal = async ({ headers, body }: Downloaded, mask: Mask, signal: AbortSignal): Promise<string> => {
    const chunks: Uint8Array[] = [];
    let size = 0;
    const read = async (): Promise<void> => {
      for await (const chunk of body) {
        chunks.push(chunk);
        size += chunk.length;
        if (size >= MAX_REFUSAL_BYTES + mask.marginBytes) return;
      }
    };
    await clock.within(options.callTimeoutMs, signal, read()).catch(ignore);
    const bytes = Buffer.concat(chunks);
    const packing = { encoding: String(headers["content-encoding"] ?? ""), isCut: true };
    const plain = await unpack(bytes, packing, MAX_REFUSAL_BYTES + mask.marginBytes);
    return bodyText(plain ?? bytes, { maxBytes: MAX_REFUSAL_BYTES, mask });
  };

  async function* contents({ headers, body }: Downloaded, mask: Mask, call: AbortController) {
    let size = 0;
    try {
      for await (const chunk of decompressed(body, String(headers["content-encoding"] ?? ""))) {
        size += chunk.length;
        if (size > logMaxBytes)
          throw new Error(`the answer is longer than PARTNER_LOG_MAX_BYTES allows, ${logMaxBytes} bytes`);
        yield chunk;
      }
    } catch (error) {
      // The reason of the abort says more than the error of the closed socket.
      throw call.signal.aborted ? call.signal.reason : messageIn(error, mask);
    } finally {
      call.abort(new Error("the answer was read"));
    }
  }

  const waitForTurn = (signal: AbortSignal): Promise<void> =>
    clock.within(WAIT_MS, signal, options.turnBehindOthers(signal)).catch((error: unknown) => {
      throw error instanceof DeadlineError
        ? new Error("commands left no turn of PARTNER_MAX_RPS free for five minutes")
        : error;
    });

  const request = async (query: LogQuery, call: AbortController): Promise<LogAnswer> => {
    const { signal } = call;
    const tooLong = new Error("the answer took longer than ten minutes");
    clock.sleep(WHOLE_MS, signal).then(() => call.abort(tooLong), ignore);
    const used = credentials.current();
    const mask = maskOf(used);
    try {
      const get = { path: pathOf(query), headers: headersOfCall(used, userAgent) };
      const answered = await options.download(get, signal);
      const { status: httpStatus, headers } = answered;
      const retryAfterMs = readRetryAfter(headers["retry-after"], clock.now());
      const answer = { httpStatus, headers, retryAfterMs };
      if (httpStatus >= 200 && httpStatus < 300) return { ...answer, body: contents(answered, mask, call) };
      const text = await refusal(answered, mask, signal);
      signal.throwIfAborted();
      call.abort(new Error("the answer was read"));
      return { ...answer, body: of(text) };
    } catch (error) {
      throw signal.aborted ? signal.reason : messageIn(error, mask);
    }
  };

  const requestInTurn = async (query: LogQuery, signal: AbortSignal): Promise<LogAnswer> => {
    const call = linkedAbortController(signal, options.closed);
    try {
      await waitForTurn(call.signal);
      return await request(query, call);
    } catch (error) {
      call.abort(error);
      throw error;
    }
  };

  return async (query, signal) => {
    const answer = await requestInTurn(query, signal);
    if (answer.httpStatus !== 401) return answer;
    credentials.reload();
    return requestInTurn(query, signal);
  };
};
