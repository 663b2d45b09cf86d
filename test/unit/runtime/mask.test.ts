import { describe, expect, it } from "vitest";
import { maskFor } from "../../../src/runtime/mask.ts";

const SECRET = 's3/cret+"é&<|+{}^$ x';
const mask = maskFor(["tok-1", SECRET, ""]);

describe("mask", () => {
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
    ["in JSON in JSON", JSON.stringify(JSON.stringify(SECRET).slice(1, -1)).slice(1, -1)],
    ["in a path", encodeURIComponent(SECRET)],
    ["in a path, in lower case", encodeURIComponent(SECRET).replace(/%../g, (hex) => hex.toLowerCase())],
    ["in a path twice", encodeURIComponent(encodeURIComponent(SECRET))],
    ["in a form", new URLSearchParams({ x: SECRET }).toString().slice(2)],
    ["in HTML", SECRET.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;")],
    ["in HTML by number", Array.from(SECRET, (c) => `&#${c.codePointAt(0)!};`).join("")],
  ])("hides a secret %s", (_, form) => {
    expect(mask(`before ${form} after ${form}`)).toBe("before *** after ***");
  });

  it("leaves everything else alone", () => {
    const text = '{"tok":"tok-2","x":"s3/cret"}';
    expect(mask(text)).toBe(text);
    expect(maskFor([])(text)).toBe(text);
    expect(maskFor([""])(text)).toBe(text);
  });

  it("hides the longer one where one secret begins another", () => {
    expect(maskFor(["abc", "abcdef"])("abcdef abc")).toBe("*** ***");
  });

  it("leaves no part of a secret at a cut, and never moves what lies behind it into view", () => {
    expect(mask("see tok-1 here", 6)).toBe("see ***");
    expect(mask("see tok-1 here", 12)).toBe("see *** he");
    expect(mask("tok-1tok-1 visible", 7)).toBe("******");
    expect(mask("visible hidden tok-1 hidden", 7)).toBe("visible");
  });

  it("takes a secret of any length, and a text made to slow it down", () => {
    const long = "a".repeat(4_000) + "b";
    const token = maskFor([long]);
    expect(token(`x${long}y`)).toBe("x***y");
    const tail = "\\".repeat(60_000);
    expect(token("a".repeat(3_999) + tail)).toBe("a".repeat(3_999) + tail);
    expect(token("%25".repeat(20_000))).toBe("%25".repeat(20_000));
    expect(token("&#".repeat(20_000))).toBe("&#".repeat(20_000));
  });

  it("hides too much rather than too little", () => {
    expect(maskFor(["a%41"])("a%41 aA")).toBe("*** ***");
    expect(maskFor(["a\\b"])("a\\b a\\\\b ab")).toBe("*** *** ***");
  });
});
