import type { ServerResponse } from "node:http";
import { write, type Answer } from "../runtime/answer.ts";
import type { RequestFault } from "./fault-rules.ts";

/** The answer in pieces over `ms`, the headers at once; or cut off in its middle. */
const writeBadly = (
  response: ServerResponse,
  answer: Answer,
  fault: { kind: "slow-body"; ms: number } | { kind: "cut-body" },
) => {
  // A body of its own where there is none: an empty one can be neither slow nor cut off.
  const body = Buffer.from(answer.body || '{"note":"this body is slow or cut off by a fault"}');
  response.writeHead(answer.status === 204 ? 200 : answer.status, {
    ...answer.headers,
    "content-length": body.length,
  });
  if (fault.kind === "cut-body") {
    response.write(body.subarray(0, Math.max(1, body.length >> 1)), () => response.socket?.destroy());
    return;
  }
  const pieces = Math.min(10, body.length);
  const step = Math.ceil(body.length / pieces);
  let sent = 0;
  response.flushHeaders();
  const timer = setInterval(() => {
    response.write(body.subarray(sent, sent + step));
    sent += step;
    if (sent < body.length) return;
    clearInterval(timer);
    response.end();
  }, fault.ms / pieces);
  response.once("close", () => clearInterval(timer));
};

/**
 * Does one fault to one response. `answer` runs the operation, and is called where the fault comes after executing.
 * Returns the status that was sent, or null where none was.
 */
export const misbehave = (
  response: ServerResponse,
  fault: Exclude<RequestFault, { kind: "latency" }>,
  answer: () => Answer,
  faultAnswer: (status: number, headers: Record<string, string>, body: string | null) => Answer,
): number | null => {
  const reply = (made: Answer): number => {
    write(response, made);
    return made.status;
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
      // Stays open until the client or the sandbox goes away.
      if (fault.when === "after") answer();
      return null;
    case "reset":
      if (fault.when === "after") answer();
      response.socket?.resetAndDestroy();
      return null;
    case "garbage":
      if (fault.when === "after") answer();
      response.socket?.end("?? this is not HTTP ??\r\n\r\n");
      return null;
    case "slow-body":
    case "cut-body": {
      const made = answer();
      writeBadly(response, made, fault);
      return made.status;
    }
  }
};
