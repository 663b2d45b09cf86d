import type { ServerResponse } from "node:http";
import { sendAnswer, type Answer } from "../runtime/answer.ts";
import type { RequestFault } from "./fault-rules.ts";
import { writeFaultyBody } from "./faulty-body.ts";

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
      // The connection stays open until the client or the sandbox closes it.
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
      const normal = answer();
      void writeFaultyBody(response, normal, fault);
      return normal.status;
    }
  }
};
