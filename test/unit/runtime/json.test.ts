import { describe, expect, it } from "vitest";
import { elements, members, membersUpToCut } from "../../../src/runtime/json.ts";

describe("members", () => {
  it("keeps the digits of numbers, the order and repeated names", () => {
    expect(members('{"a":1.10,"b":12345678901234567890,"a":-1e5}')).toEqual([
      { key: "a", raw: "1.10" },
      { key: "b", raw: "12345678901234567890" },
      { key: "a", raw: "-1e5" },
    ]);
  });

  it("is not confused by brackets, commas and quotes inside strings and nested values", () => {
    const text = ' {\n "a\\"}" : "x,}]\\\\" , "b" : [ { "c" : "]" } , 2 ] ,"\\u0061":{} , "d":null\t}\n';
    expect(members(text)).toEqual([
      { key: 'a"}', raw: '"x,}]\\\\"' },
      { key: "b", raw: '[ { "c" : "]" } , 2 ]' },
      { key: "a", raw: "{}" },
      { key: "d", raw: "null" },
    ]);
  });

  it("finds none in an empty object, and gives null for any other text", () => {
    for (const text of ["{}", " { } "]) expect(members(text)).toEqual([]);
    for (const text of ["[1]", '"{"', "1", "null", "", "{}x", '{"a":1', '{"a":[1}'])
      expect(members(text), text).toBeNull();
  });

  it("names __proto__ like any other member", () => {
    expect(members('{"__proto__":{"x":1}}')).toEqual([{ key: "__proto__", raw: '{"x":1}' }]);
  });

  it("reads a depth that would overflow the stack of a recursive parser", () => {
    const deep = "[".repeat(500_000) + "]".repeat(500_000);
    expect(members(`{"a":${deep},"b":1}`)?.map((member) => [member.key, member.raw.length])).toEqual([
      ["a", 1_000_000],
      ["b", 1],
    ]);
  });
});

describe("elements", () => {
  it("keeps each element as written", () => {
    expect(elements(' [ 1.10 , "],[" , [1,[2]] , {"a":[","]} , null ] ')).toEqual([
      "1.10",
      '"],["',
      "[1,[2]]",
      '{"a":[","]}',
      "null",
    ]);
  });

  it("finds none in an empty array, and gives null for any other text", () => {
    for (const text of ["[]", " [ ] "]) expect(elements(text)).toEqual([]);
    for (const text of ["{}", "1", '"["', "", "[1,]", "[1", "[1 2]", "[1]]"])
      expect(elements(text), text).toBeNull();
  });
});

it.each([
  [
    '{"a":1,"b":{"c":2}}',
    [
      ["a", "1"],
      ["b", '{"c":2}'],
    ],
  ],
  [
    '{"a":1,"b":{"c"',
    [
      ["a", "1"],
      ["b", '{"c"'],
    ],
  ],
  ['{"a":"x', [["a", '"x']]],
  ['{"a":1,"b', [["a", "1"]]],
  ['{"a":1} more', [["a", "1"]]],
  ["[1]", []],
  ["", []],
])("the members of %s, up to where it ends", (text, found) => {
  expect(membersUpToCut(text).map(({ key, raw }) => [key, raw])).toEqual(found);
});
