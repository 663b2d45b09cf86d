import { expect, test } from "vitest";
import { hexDump } from "../../../src/runtime/hex-dump.ts";

test("bytes are shown in hex", () => {
  expect(hexDump(Buffer.from("0123456789abcdef\u001b"))).toEqual([
    "00000000  30 31 32 33 34 35 36 37 38 39 61 62 63 64 65 66  0123456789abcdef",
    "00000010  1b                                               .",
  ]);
});
