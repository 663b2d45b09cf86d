import type { ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { sendAnswer, writePiece, type Answer } from "../runtime/answer.ts";
import type { BodyFault, RequestFault } from "./fault-rules.ts";

const largePieceBytes = 65_536;

/** Writes the filler without an end, in pieces that hold it a whole number of times. */
const fillForEver = async (response: ServerResponse, filler: string) => {
  const piece = filler.repeat(Math.max(1, Math.round(largePieceBytes / Buffer.byteLength(filler))));
  while (await writePiece(response, piece));
};

/**
 * Sends the first `bytes` of a body, or all of a shorter one; null: half of its first piece. False when the client is
 * gone.
 */
const sendStart = async (response: ServerResponse, body: Answer["body"], bytes: number | null) => {
  let left = bytes;
  for (const text of typeof body === "string" ? [body] : body) {
    const whole = Buffer.from(text);
    left ??= Math.max(1, whole.length >> 1);
    const piece = whole.subarray(0, left);
    left -= piece.length;
    if (piece.length > 0 && !(await writePiece(response, piece))) return false;
    if (left <= 0) break;
  }
  return true;
};

/** Sends an answer with a correct head, and a body that is late, cut off, stalled or endless. */
const writeFaultyBody = async (response: ServerResponse, answer: Answer, fault: BodyFault): Promise<void> => {
  // An empty body cannot be cut off, so it is replaced.
  const body = answer.body || '{"note":"this body is cut off by a fault"}';
  response.writeHead(answer.status === 204 ? 200 : answer.status, {
    ...answer.headers,
    ...(typeof body === "string" &&
      fault.kind !== "endless-body" && { "content-length": Buffer.byteLength(body) }),
  });
  response.flushHeaders();
  if (fault.kind === "slow-body") {
    await sleep(fault.ms, undefined, { ref: false });
    if (await sendStart(response, body, Infinity)) response.end();
    return;
  }
  if (!(await sendStart(response, body, fault.bytes))) return;
  if (fault.kind === "cut-body") response.socket?.destroy();
  if (fault.kind === "endless-body") await fillForEver(response, fault.filler);
};

/**
 * Applies a fault to a response. `answer` executes the operation; it is called only by faults that come after
 * that. Returns the status that was sent, or null when none was.
 */
export const applyFault = (
  response: ServerResponse,
  fault: Exclude<RequestFault, { kind: "latency" }>,
  answer: () => Answer,
  faultAnswer: (status: number, headers: Record<string, string>, body: string | null) => Answer,
): number | null => {
  const reply = (normal: Answer): number => {
    void sendAnswer(response, normal);
    return normal.status;
  };
  switch (fault.kind) {
    case "throttle":
      return reply(faultAnswer(429, { "retry-after": fault.retryAfter }, null));
    case "unauthorized":
      return reply(faultAnswer(401, {}, null));
    case "status":
      if (fault.when === "after") answer();
      return reply(faultAnswer(fault.status, fault.headers, fault.body));
    case "hang":
    case "reset":
    case "garbage":
      if (fault.when === "after") answer();
      if (fault.kind === "reset") response.socket?.resetAndDestroy();
      if (fault.kind === "garbage") response.socket?.end("?? this is not HTTP ??\r\n\r\n");
      // With `hang` the connection stays open until the client or the sandbox closes it.
      return null;
    case "slow-body":
    case "cut-body":
    case "stall-body":
    case "endless-body": {
      const normal = answer();
      void writeFaultyBody(response, normal, fault);
      return normal.status;
    }
  }
};
