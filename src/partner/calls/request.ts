import type { Clock } from "../../runtime/clock.ts";
import { MAX_REASON_LENGTH, type Mask } from "../../runtime/mask.ts";
import type { Transport } from "../connection/transport.ts";
import type { Answer, CallOptions } from "../types.ts";
import { answerOf } from "./answer.ts";
import { EVIDENCE_BYTES, evidenceIn, type Evidence } from "./evidence.ts";

export type Credentials = { accessToken: string; xToken: string };

/** What every call to the partner needs. */
export type Caller = {
  /** Put before the path of every request. */
  basePath: string;
  /** `reload` reads the credentials again, after the partner refused them. Neither throws. */
  credentials: { current: () => Credentials; reload: () => void };
  /** `<partner_name>-<service_name>` */
  userAgent: string;
  /** Masks these credentials, every other secret, and `more`, in what is kept of an answer. */
  maskOf: (used: Credentials, more?: readonly string[]) => Mask;
};

/** The partner's five headers, spelled as its documentation does. */
export const headersOfCall = ({ accessToken, xToken }: Credentials, userAgent: string): string[] => [
  ...["Authorization", `Bearer ${accessToken}`],
  ...["x-token", xToken],
  ...["Content-Type", "application/json"],
  ...["accept", "application/json"],
  ...["User-Agent", userAgent],
];

/** What became of a request, before anybody judges its answer. */
type Answered =
  | { kind: "notSent"; reason: string }
  | { kind: "unknown"; reason: string; answer: null }
  | {
      kind: "answered";
      answer: Answer;
      evidence: Evidence;
      location: string;
      /** Masks what is taken out of the evidence. */
      mask: Mask;
    };

/** @param secrets to mask in the answer, besides those of {@link Caller.maskOf} */
export type SendRequest = (
  request: { method: "POST" | "PUT"; path: string; body: string },
  callOptions: CallOptions,
  secrets?: readonly string[],
) => Promise<Answered>;

export type RequestOptions = Caller & {
  maxResponseBytes: number;
  clock: Pick<Clock, "now">;
  send: Transport["send"];
};

/** Sends a request once; never rejects. After a 401 the credentials are read again. */
export const requestWith =
  ({
    credentials,
    basePath,
    userAgent,
    maskOf,
    maxResponseBytes,
    clock,
    send,
  }: RequestOptions): SendRequest =>
  async ({ method, path, body }, callOptions, secrets) => {
    const used = credentials.current();
    const mask = maskOf(used, secrets);
    const headers = headersOfCall(used, userAgent);
    const maxBodyBytes = EVIDENCE_BYTES + mask.marginBytes;
    const result = await send({ method, path: basePath + path, headers, body, maxBodyBytes }, callOptions);
    try {
      const reason = mask(result.reason, MAX_REASON_LENGTH);
      if (!result.sent) return { kind: "notSent", reason };
      const read = await answerOf(result, { maxBytes: maxResponseBytes, mask, nowMs: clock.now() });
      if (read === null) return { kind: "unknown", reason, answer: null };
      if (read.answer.httpStatus === 401) credentials.reload();
      return { kind: "answered", ...read, location: String(result.headers.location ?? ""), mask };
    } catch {
      // What the connection saw stands. Nothing of the error is quoted, because it may hold a secret.
      const reason = "what came of the call could not be read";
      if (!result.sent) return { kind: "notSent", reason };
      if (result.status === null) return { kind: "unknown", reason, answer: null };
      const answer = { httpStatus: result.status, body: null, retryAfterMs: null };
      return { kind: "answered", answer, evidence: evidenceIn(null, false), location: "", mask };
    }
  };
