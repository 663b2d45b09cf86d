import { expect, it } from "vitest";
import { maskFor } from "../../../src/runtime/mask.ts";

const SECRET = 's3/cret+"é&<|+{}^$ x';
const mask = maskFor(["tok-1", SECRET, ""]);

it.each([
  ["as it is", SECRET],
  ["in JSON", JSON.stringify(SECRET).slice(1, -1)],
  ["in JSON with slashes escaped", JSON.stringify(SECRET).slice(1, -1).replaceAll("/", "\\/")],
  [
    "in JSON of pure ASCII",
    JSON.stringify(SECRET)
      .slice(1, -1)
      .replace(/[^ -~]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0").toUpperCase()}`),
  ],
  [
    "in JSON, all escaped",
    SECRET.replace(/[^]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`),
  ],
  ["in a path", encodeURIComponent(SECRET)],
  ["in a path, in lower case", encodeURIComponent(SECRET).replace(/%../g, (hex) => hex.toLowerCase())],
  ["in a form", new URLSearchParams({ x: SECRET }).toString().slice(2)],
  ["in base64", Buffer.from(SECRET).toString("base64")],
  ["in base64 for URLs", Buffer.from(SECRET).toString("base64url")],
  ["in base64 in a form", encodeURIComponent(Buffer.from(SECRET).toString("base64"))],
])("hides a secret %s", (_, form) => {
  expect(mask(`before ${form} after ${form}`)).toBe("before *** after ***");
});

it.each(["", "u", "us", "user:"])("hides a secret in the base64 of more text, after %o", (before) => {
  const text = Buffer.from(`${before}${SECRET}, and more`).toString("base64");
  const rest = Buffer.from(mask(text).replace("***", ""), "base64").toString("latin1");
  expect(mask(text)).toContain("***");
  expect(rest).not.toMatch(/cret|\{\}/);
});

it("leaves everything else alone", () => {
  const text = '{"tok":"tok-2","x":"s3/cret"}';
  expect(mask(text)).toBe(text);
  expect(maskFor([])(text)).toBe(text);
  expect(maskFor([""])(text)).toBe(text);
});

it("hides the longer one where one secret begins another", () => {
  expect(maskFor(["abcd", "abcdef"])("abcdef abcd")).toBe("*** ***");
});

it("leaves no part of a secret at a cut, and never moves what lies behind it into view", () => {
  expect(mask("see tok-1 here", 6)).toBe("see ***");
  expect(mask("see tok-1 here", 12)).toBe("see *** he");
  expect(mask("tok-1tok-1 visible", 7)).toBe("******");
  expect(mask("visible hidden tok-1 hidden", 7)).toBe("visible");
});

it("takes a secret of any length, and a text made to slow it down", () => {
  const long = "a".repeat(2_000) + "b";
  const token = maskFor([long]);
  expect(token(`x${long}y`)).toBe("x***y");
  const longer = Array.from({ length: 8_192 }, (_, i) => "abc/d+e.="[(i * i) % 9]).join("");
  const every = maskFor([longer, `${longer}x`]);
  expect(every(`x${encodeURIComponent(longer)}y${Buffer.from(longer).toString("base64url")}z`)).toBe(
    "x***y***z",
  );
  expect(every(`${longer.slice(0, -1)}!`)).toBe(`${longer.slice(0, -1)}!`);
  const tail = "\\".repeat(20_000);
  expect(token("a".repeat(1_999) + tail)).toBe("a".repeat(1_999) + tail);
  expect(token("%25".repeat(20_000))).toBe("%25".repeat(20_000));
  expect(token("&#".repeat(20_000))).toBe("&#".repeat(20_000));
});

it("hides a secret that holds what looks like an encoding", () => {
  expect(maskFor(["a%41"])("a%41 a%2541 aA")).toBe("*** *** aA");
  expect(maskFor(["a%25b"])("a%25b a%2525b a%b")).toBe("*** *** a%b");
  expect(maskFor(["a\\bc"])("a\\bc a\\\\bc abc")).toBe("*** *** abc");
});
