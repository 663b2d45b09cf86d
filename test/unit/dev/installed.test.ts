import { expect, it } from "vitest";
import { isInstalled } from "../../../dev/bootstrap/installed.mjs";

const wanted = {
  packages: {
    "": { version: "1.0.0" },
    "node_modules/a": { version: "1.2.3", integrity: "sha512-a" },
    "node_modules/other-platform": { version: "1.0.0", integrity: "sha512-o", optional: true },
  },
};

it("accepts what was installed from the same lockfile", () => {
  expect(
    isInstalled(wanted, { packages: { "node_modules/a": { version: "1.2.3", integrity: "sha512-a" } } }),
  ).toBe(true);
});

it.each([
  ["a package is missing", {}],
  ["a version differs", { "node_modules/a": { version: "1.2.4", integrity: "sha512-a" } }],
  ["the bytes differ", { "node_modules/a": { version: "1.2.3", integrity: "sha512-b" } }],
  [
    "an optional package is there in another version",
    {
      "node_modules/a": { version: "1.2.3", integrity: "sha512-a" },
      "node_modules/other-platform": { version: "0.9.0", integrity: "sha512-p" },
    },
  ],
])("refuses when %s", (_, packages) => {
  expect(isInstalled(wanted, { packages })).toBe(false);
});
