import { expect, test } from "vitest";
import { coverAllAddresses, isCidr, rangesOf } from "../../../src/runtime/cidr.ts";

test.each([
  ["10.0.0.0/8", "10.255.1.2", true],
  ["10.0.0.0/8", "11.0.0.0", false],
  ["10.0.0.0/8", "::ffff:10.1.2.3", true],
  ["10.0.0.0/8", "0:0:0:0:0:ffff:10.1.2.3", true],
  ["10.0.0.0/8", "::10.1.2.3", false],
  ["10.1.2.0/23", "10.1.3.255", true],
  ["10.1.2.77/24", "10.1.2.3", true],
  ["192.0.2.1", "192.0.2.1", true],
  ["0.0.0.0/0", "203.0.113.9", true],
  ["0.0.0.0/0", "::1", false],
  ["::/0", "2001:db8::1", true],
  ["::/0", "203.0.113.9", false],
  ["::ffff:192.168.0.0/112", "192.168.3.4", true],
  ["::ffff:192.168.0.0/112", "::ffff:192.169.3.4", false],
  ["2001:db8::/33", "2001:db8:7fff::1", true],
  ["2001:db8::/33", "2001:db8:8000::1", false],
  ["fe80::/10", "fe80::1%eth0", true],
  ["10.0.0.0/8", "", false],
  ["10.0.0.0/8", "010.1.2.3", false],
  ["10.0.0.0/8", "unknown", false],
])("%s and %j: %j", (cidr, address, expected) => {
  expect(rangesOf([cidr])(address)).toBe(expected);
});

test.each(["", "10.0.0.0/33", "::/129", "example.org", "10.0.0.0/8/8", "fe80::%1/10"])(
  "%j is no range",
  (text) => {
    expect(isCidr(text)).toBe(false);
    expect(() => rangesOf([text])).toThrow(RangeError);
  },
);

test.each([
  [["0.0.0.0/0"], true],
  [["128.0.0.0/1", "10.0.0.0/8", "0.0.0.0/1"], true],
  [["0.0.0.0/1", "128.0.0.0/2", "192.0.0.0/4", "208.0.0.0/4"], true],
  [["0.0.0.0/1", "128.0.0.0/2", "192.0.0.0/4"], false],
  [["::ffff:0:0/96"], true],
  [["::ffff:0:0/97", "128.0.0.0/1"], true],
  [["::ffff:1.2.3.4/95"], false],
  [["::/0"], true],
  [["::ffff:1.2.3.4/0"], true],
  [["2000::/4", "3000::/5", "3800::/5"], true],
  [["2000::/4", "3000::/5"], false],
  [["fc00::/7", "10.0.0.0/8", "192.0.2.1"], false],
  [[], false],
])("%j hold everybody: %j", (cidrs, expected) => {
  expect(coverAllAddresses(cidrs)).toBe(expected);
});
