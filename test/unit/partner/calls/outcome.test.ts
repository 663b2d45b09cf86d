import { describe, expect, it } from "vitest";
import { classify, doubtfulStatuses } from "../../../../src/partner/calls/outcome.ts";

const byDefault = doubtfulStatuses(["302", "303", "409"]);
const kinds = (status: number, isDoubtful = byDefault) =>
  (["ACCEPT_QUOTE", "CREATE_QUOTE"] as const).map(
    (operation) =>
      classify(operation, { httpStatus: status, body: null, retryAfterMs: null }, isDoubtful).kind,
  );

describe("classify", () => {
  it.each([
    [200, "executed", "executed"],
    [201, "executed", "executed"],
    [204, "executed", "executed"],
    [299, "executed", "executed"],
    [300, "unknown", "refused"],
    [301, "refused", "refused"],
    [302, "unknown", "refused"],
    [303, "unknown", "refused"],
    [304, "unknown", "refused"],
    [307, "refused", "refused"],
    [308, "refused", "refused"],
    [400, "refused", "refused"],
    [401, "unauthorized", "unauthorized"],
    [403, "refused", "refused"],
    [404, "refused", "refused"],
    [408, "unknown", "unknown"],
    [409, "unknown", "refused"],
    [422, "refused", "refused"],
    [425, "unknown", "unknown"],
    [429, "throttled", "throttled"],
    [500, "unknown", "unknown"],
    [503, "unknown", "unknown"],
    [599, "unknown", "unknown"],
    [600, "unknown", "unknown"],
    [999, "unknown", "unknown"],
  ])("%i is %s for an accept and %s for a create", (status, accept, create) => {
    expect(kinds(status)).toEqual([accept, create]);
  });

  it("lets statuses be added to the doubts, for accepts", () => {
    expect(kinds(404, doubtfulStatuses(["4XX"]))).toEqual(["unknown", "refused"]);
    expect(kinds(429, doubtfulStatuses(["429"]))).toEqual(["unknown", "throttled"]);
    expect(kinds(409, doubtfulStatuses([]))).toEqual(["refused", "refused"]);
    expect(kinds(200, doubtfulStatuses(["2xx"]))).toEqual(["executed", "executed"]);
  });

  it.each([[[]], [["409"]], [["500"]], [["4xx"]]])(
    "takes no status from the doubts that HTTP itself gives: with %j",
    (listed) => {
      for (const status of [408, 425, 500, 502, 503, 504, 599])
        expect(kinds(status, doubtfulStatuses(listed)), String(status)).toEqual(["unknown", "unknown"]);
    },
  );
});
