import { createHmac, randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { hmacKey, hmacSha256 } from "../../../src/webhooks-to-events/hmac.ts";

const hex = (text: string): Buffer => Buffer.from(text, "hex");
const repeated = (byte: number, times: number): Buffer => Buffer.alloc(times, byte);

// RFC 4231, section 4; case 5 is about truncated digests.
test.each([
  [
    "4.2",
    repeated(0x0b, 20),
    Buffer.from("Hi There"),
    "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7",
  ],
  [
    "4.3",
    Buffer.from("Jefe"),
    Buffer.from("what do ya want for nothing?"),
    "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843",
  ],
  [
    "4.4",
    repeated(0xaa, 20),
    repeated(0xdd, 50),
    "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe",
  ],
  [
    "4.5",
    hex("0102030405060708090a0b0c0d0e0f10111213141516171819"),
    repeated(0xcd, 50),
    "82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b",
  ],
  [
    "4.7",
    repeated(0xaa, 131),
    Buffer.from("Test Using Larger Than Block-Size Key - Hash Key First"),
    "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54",
  ],
])("gives the digest of RFC 4231, %s", (_, key, message, digest) => {
  expect(hmacSha256(hmacKey(key), message).toString("hex")).toBe(digest);
});

test("agrees with node's for keys on both sides of a block, and for a message in parts of any bytes", () => {
  for (let length = 1; length <= 200; length++) {
    const key = randomBytes(length);
    const [head, body] = [randomBytes(length % 7), randomBytes(length * 11)];
    const ready = hmacKey(key);
    const ofNode = createHmac("sha256", key).update(head).update(body).digest();
    expect(hmacSha256(ready, head, body).equals(ofNode), `a key of ${length} bytes`).toBe(true);
    // A key is not used up by a message.
    expect(hmacSha256(ready, head, body).equals(ofNode)).toBe(true);
  }
});
