import { describe, expect, it } from "vitest";
import { classify, doubtfulStatuses } from "../../../../src/partner/calls/outcome.ts";
import { saysFailed } from "../../../../src/runtime/json-pointer.ts";
import { proseOf } from "../../../support/documents.ts";

const byDefault = doubtfulStatuses(["302", "303", "409"]);
const kinds = (status: number, isDoubtful = byDefault) =>
  (["ACCEPT_QUOTE", "CREATE_QUOTE"] as const).map(
    (operation) =>
      classify(operation, { httpStatus: status, body: null, retryAfterMs: null }, isDoubtful).kind,
  );

describe("classify", () => {
  it.each([
    [200, "executed", "executed"],
    [299, "executed", "executed"],
    [300, "unknown", "refused"],
    [301, "refused", "refused"],
    [302, "unknown", "refused"],
    [400, "refused", "refused"],
    [401, "unauthorized", "unauthorized"],
    [408, "unknown", "unknown"],
    [409, "unknown", "refused"],
    [425, "unknown", "unknown"],
    [429, "throttled", "throttled"],
    [500, "unknown", "unknown"],
    [600, "unknown", "unknown"],
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

/** What docs/accept-protocol.md says of an accept's statuses: a status or a class of them, and what it proves. */
const documented = new Map(
  [...proseOf("docs/accept-protocol.md").matchAll(/^\| (.*?) +\|[^|]*\(`(\w+)`\) *\|/gm)].flatMap(
    ([, seen = "", proves = ""]) =>
      [...seen.matchAll(/\b([1-6]\d\d|[1-5]xx)\b/g)].map(([status]): [string, string] => [status, proves]),
  ),
);

it("docs/accept-protocol.md says of every status what it proves of an accept", () => {
  const told = (status: number): string | undefined =>
    documented.get(String(status)) ?? documented.get(status < 600 ? `${Math.floor(status / 100)}xx` : "600");
  for (let status = 200; status < 700; status += 1)
    expect([status, told(status)]).toEqual([status, kinds(status)[0]]);
});

it.each([
  '{"success":false}',
  ' { "Success" : false , "data" : {} } ',
  '{"success":"false"}',
  '{"success":true,"success":false}',
  '{"error":"insufficient funds"}',
  '{"data":null,"errors":[{"code":"E1"}]}',
  '{"error":{"code":0}}',
  '{"error":500}',
  // Cut off, or no JSON further on.
  '{"success":false,"message":"a long',
  '{"errors":[{"message":"a lon',
  '{"error":"x"} and more',
])("%s says that it failed", (text) => expect(saysFailed(text)).toBe(true));

it.each([
  ...["", "{}", '{"success":true}', '{"success":null}', '{"error":null}', '{"error":""}'],
  ...['{"error":false,"errors":[ ]}', '{"error":{ },"errors":0}'],
  '{"data":{"success":false,"error":"of a part"}}',
  '{"errorCount":3,"status":"failed"}',
  '{"succ',
  '{"error":',
  '[{"success":false}]',
  "<html>error</html>",
])("%s does not", (text) => expect(saysFailed(text)).toBe(false));
