import { expect, test } from "vitest";
import { isCidr, rangesOf } from "../../../src/runtime/cidr.ts";

test.each([
  ["10.0.0.0/8", "10.255.1.2", true],
  ["10.0.0.0/8", "11.0.0.0", false],
  ["10.0.0.0/8", "::ffff:10.1.2.3", true],
  ["10.0.0.0/8", "::FFFF:0a01:0203", true],
  ["10.0.0.0/8", "0:0:0:0:0:ffff:10.1.2.3", true],
  ["10.0.0.0/8", "::10.1.2.3", false],
  ["10.0.0.0/8", "a01:203::", false],
  ["10.1.2.0/23", "10.1.3.255", true],
  ["10.1.2.0/23", "10.1.4.0", false],
  ["10.1.2.77/24", "10.1.2.3", true],
  ["192.0.2.1", "192.0.2.1", true],
  ["192.0.2.1", "192.0.2.2", false],
  ["0.0.0.0/0", "203.0.113.9", true],
  ["0.0.0.0/0", "::1", false],
  ["::/0", "2001:db8::1", true],
  ["::/0", "203.0.113.9", false],
  ["::ffff:192.168.0.0/112", "192.168.3.4", true],
  ["::ffff:192.168.0.0/112", "::ffff:192.169.3.4", false],
  ["2001:db8::/33", "2001:db8:7fff::1", true],
  ["2001:db8::/33", "2001:db8:8000::1", false],
  ["fe80::/10", "fe80::1%eth0", true],
  ["::1", "::1", true],
  ["10.0.0.0/8", "", false],
  ["10.0.0.0/8", "10.1.2", false],
  ["10.0.0.0/8", "010.1.2.3", false],
  ["10.0.0.0/8", "unknown", false],
])("%s and %j: %j", (cidr, address, expected) => {
  expect(rangesOf([cidr])(address)).toBe(expected);
});

test.each([
  "",
  "10.0.0.0/33",
  "10.0.0.0/-1",
  "10.0.0.0/",
  "10.0.0/8",
  "::/129",
  "example.org",
  "10.0.0.0/8/8",
  "fe80::%1/10",
])("%j is no range", (text) => {
  expect(isCidr(text)).toBe(false);
  expect(() => rangesOf([text])).toThrow(RangeError);
});
