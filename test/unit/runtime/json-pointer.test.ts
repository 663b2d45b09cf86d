import { expect, it } from "vitest";
import { fieldsIn, missingFields, MAX_FIELD_BYTES } from "../../../src/runtime/json-pointer.ts";
import { maskFor } from "../../../src/runtime/mask.ts";

const NAMED = [
  { name: "rate", pointer: "/data/rate" },
  { name: "first", pointer: "/list/0" },
  { name: "odd", pointer: "/a~1b/~0" },
];
const fields = (json: string) => fieldsIn(json, NAMED, maskFor(["hidden"]));

it.each([
  ["strings as they are", '{"data":{"rate":" 5.10\\n\\u00e9"}}', { rate: " 5.10\n\u00e9" }],
  ["an empty one", '{"data":{"rate":""}}', { rate: "" }],
  [
    "numbers digit by digit",
    '{"data":{"rate":5.1200000000000000001},"list":[1E+2]}',
    { rate: "5.1200000000000000001", first: "1E+2" },
  ],
  ["booleans", '{"data":{"rate":true},"list":[false]}', { rate: "true", first: "false" }],
  ["a text that says null", '{"data":{"rate":"null"}}', { rate: "null" }],
  ["names that are escaped", '{"a/b":{"~":"x"}}', { odd: "x" }],
  ["no null, object or array", '{"data":{"rate":null},"list":[[1]],"a/b":{"~":{}}}', {}],
  ["nothing that is not there", '{"data":"rate","list":[]}', {}],
  ["nothing that is there twice", '{"data":{"rate":1,"rate":2}}', {}],
  [
    "nothing that has no room",
    JSON.stringify({
      data: { rate: "é".repeat(MAX_FIELD_BYTES / 2 + 1) },
      list: ["é".repeat(MAX_FIELD_BYTES / 2)],
    }),
    { first: "é".repeat(MAX_FIELD_BYTES / 2) },
  ],
  ["no own secret", '{"data":{"rate":"a hi\\u0064den b"}}', { rate: "a *** b" }],
  ["no lone surrogate", '{"data":{"rate":"\\ud800"}}', { rate: "\uFFFD" }],
])("holds %s", (_, json, found) => expect(fields(json)).toEqual(found));

it("says which are missing", () => {
  expect(missingFields(NAMED, fields('{"data":{"rate":""}}'))).toEqual(["first", "odd"]);
  expect(missingFields([{ name: "constructor", pointer: "/x" }], {})).toEqual(["constructor"]);
});
