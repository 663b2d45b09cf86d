import type { ServerResponse } from "node:http";
import { write, type Answer } from "../runtime/answer.ts";
import type { RequestFault } from "./fault-rules.ts";
import { writeSpoilt } from "./spoil-body.ts";

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
    void write(response, made);
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
    case "cut-body":
    case "stall-body":
    case "endless-body": {
      const made = answer();
      void writeSpoilt(response, made, fault);
      return made.status;
    }
  }
};
