import { expect, it } from "vitest";
import { javaMajor } from "../../../dev/cluster/requirements.mjs";

it.each([
  ['openjdk version "17.0.15" 2025-04-15\nOpenJDK Runtime Environment', 17],
  ['openjdk version "24" 2025-03-18', 24],
  ['java version "1.8.0_392"', 8],
  ['Picked up JAVA_TOOL_OPTIONS: -Xmx1g\nopenjdk version "21-ea" 2023-09-19', 21],
  ["The operation couldn't be completed. Unable to locate a Java Runtime.", 0],
  ["", 0],
])("reads the version of %j", (banner, major) => {
  expect(javaMajor(banner)).toBe(major);
});
