import { expect, it } from "vitest";
import { doubtIn, evidenceIn } from "../../../../src/partner/calls/evidence.ts";

const IDS = {
  quoteId: "q-0017",
  externalId: "São-9",
  counterpartyId: "3F2504E0-4F89-11D3-9A0C-0305E82C3301",
};
const SIGNS = [
  { pointer: "/sucesso", value: "false" },
  { pointer: "/data/status", value: "ERROR" },
  { pointer: "/codes/0", value: "17" },
];
const whole = (body: string | null) => doubtIn(evidenceIn(body, false), IDS, SIGNS);
const cut = (body: string) => doubtIn(evidenceIn(body, true), IDS, SIGNS);

it.each([
  "",
  " \r\n",
  "{}",
  " [ ] ",
  '"done"',
  "true",
  "204",
  '{"quoteId":"q-0017","externalId":"São-9","success":true}',
  // Other spellings of what was sent, and values that name nothing.
  '{"quote_id":" Q0017 ","externalid":"SA\u0303O-9","counterpartyId":"{3f2504e04f8911d39a0c0305e82c3301}"}',
  '{"quoteId":null,"externalId":"","counterpartyId":" "}',
  '{"quoteId":{"id":"q-2"},"externalId":["x"],"counterpartyId":false}',
  '{"quoteId":"***","externalId":"S\uFFFDo-9","counterpartyId":"-"}',
  '{"id":"q-2","data":{"quoteId":"q-2"}}',
  '{"sucesso":true,"data":{"status":"OK"},"codes":[1,17]}',
  '{"sucesso":{"value":false},"status":"ERROR"}',
])("%j proves that an accept was executed", (body) => expect(whole(body)).toBeNull());

it("numbers and strings are compared as the same text", () => {
  const ids = { quoteId: "00123", externalId: "45" };
  const doubt = (body: string) => doubtIn(evidenceIn(body, false), ids, []);
  expect(doubt('{"quoteId":123,"externalId":45.0}')).toBeNull();
  expect(doubt('{"quoteId":1230}')).toBe("names another quoteId than was sent");
  // What was not sent cannot be another.
  expect(doubt('{"counterpartyId":"cp-9"}')).toBeNull();
});

it.each([
  [null, "sent a body that cannot be unpacked"],
  ["<html>blocked</html>", "sent a body that is no JSON"],
  ["OK", "sent a body that is no JSON"],
  ['{"a":1', "sent a body that is no JSON"],
  ['{"a":1}{"a":2}', "sent a body that is no JSON"],
  ['{"success":false,"quoteId":"q-2"}', "says in the body that it failed"],
  ['{"sucesso":"False"}', "says in the body that it failed"],
  ['{"sucesso":true,"sucesso":false}', "says in the body that it failed"],
  ['{"data":{"status":" error "}}', "says in the body that it failed"],
  ['{"codes":["17"]}', "says in the body that it failed"],
  ['{"quoteId":"q-0018"}', "names another quoteId than was sent"],
  ['{"quoteId":"q-0017","quoteId":18}', "names another quoteId than was sent"],
  ['{"external_id":"Sao-8"}', "names another externalId than was sent"],
  ['{"counterpartyId":7}', "names another counterpartyId than was sent"],
])("%j does not: the partner %s", (body, doubt) => expect(whole(body)).toBe(doubt));

it.each(["", "{", '{"quo', '{ "a":1,"b', "[", '[{"a"', "[1,2"])("%j, cut off, does", (body) =>
  expect(cut(body)).toBeNull(),
);

it.each([
  "<htm",
  "abc",
  "[error] no",
  "{error",
  '{"success":false,"a',
  '{"data":{"status":"ERROR","x',
  '{"quoteId":"q-2","',
])("%j, cut off, does not", (body) => expect(cut(body)).not.toBeNull());
