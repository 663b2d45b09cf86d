import { MAX_REASON_LENGTH, type Mask } from "../../runtime/mask.ts";
import type { Transport } from "../connection/transport.ts";
import type { Answer, CallOptions, PartnerOptions } from "../types.ts";
import { answerOf } from "./answer.ts";
import { EVIDENCE_BYTES, type Evidence } from "./evidence.ts";

type Prepared = { path: string; headers: string[]; mask: Mask };
/** Takes the credentials of now. @param secrets to mask besides those that the client knows */
export type Prepare = (path: string, secrets?: readonly string[]) => Prepared;

/** What became of a request, before anybody judges its answer. `mask` is for what is taken out of the evidence. */
type Answered =
  | { kind: "notSent"; reason: string }
  | { kind: "unknown"; reason: string; answer: null }
  | { kind: "answered"; answer: Answer; evidence: Evidence; location: string; mask: Mask };

export type SendRequest = (
  request: { method: "POST" | "PUT"; path: string; body: string },
  callOptions: CallOptions,
  secrets?: readonly string[],
) => Promise<Answered>;

type RequestOptions = Pick<PartnerOptions, "credentials" | "maxResponseBytes" | "clock"> & {
  prepare: Prepare;
  send: Transport["send"];
};

/** Sends a request once; never rejects. After a 401 the credentials are read again. */
export const requestWith =
  ({ credentials, maxResponseBytes: maxBytes, clock, prepare, send }: RequestOptions): SendRequest =>
  async ({ method, path, body }, callOptions, secrets) => {
    const { mask, ...head } = prepare(path, secrets);
    const maxBodyBytes = EVIDENCE_BYTES + mask.marginBytes;
    const result = await send({ method, ...head, body, maxBodyBytes }, callOptions);
    const reason = mask(result.reason, MAX_REASON_LENGTH);
    if (!result.sent) return { kind: "notSent", reason };
    const { status: httpStatus } = result;
    if (httpStatus === null) return { kind: "unknown", reason, answer: null };
    if (httpStatus === 401) credentials.reload();
    // The status stands, whatever is wrong with the rest. Nothing of the error is quoted: it may hold a secret.
    const unread = {
      answer: { httpStatus, body: null, retryAfterMs: null },
      evidence: { kind: "packed" } as const,
    };
    const read = await answerOf(httpStatus, result, { maxBytes, mask, clock }).catch(() => unread);
    return { kind: "answered", ...read, location: String(result.headers.location ?? ""), mask };
  };
