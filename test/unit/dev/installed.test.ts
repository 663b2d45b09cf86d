import { expect, it } from "vitest";
import { isInstalled } from "../../../dev/bootstrap/installed.mjs";

const wanted = {
  packages: {
    "": { version: "1.0.0" },
    "node_modules/a": { version: "1.2.3", integrity: "sha512-a" },
    "node_modules/tool": { version: "2.0.0", integrity: "sha512-t", dev: true },
    "node_modules/other-platform": { version: "1.0.0", integrity: "sha512-o", optional: true },
  },
};

const a = { "node_modules/a": { version: "1.2.3", integrity: "sha512-a" } };
const tool = { "node_modules/tool": { version: "2.0.0", integrity: "sha512-t" } };

it("accepts what was installed from the same lockfile", () => {
  expect(isInstalled(wanted, { packages: { ...a, ...tool } })).toBe(true);
});

it("accepts an installation without tools only where none is needed", () => {
  expect(isInstalled(wanted, { packages: a })).toBe(false);
  expect(isInstalled(wanted, { packages: a }, { development: false })).toBe(true);
  expect(isInstalled(wanted, { packages: tool }, { development: false })).toBe(false);
});

it.each([
  ["a package is missing", {}],
  ["a version differs", { ...tool, "node_modules/a": { version: "1.2.4", integrity: "sha512-a" } }],
  ["the bytes differ", { ...tool, "node_modules/a": { version: "1.2.3", integrity: "sha512-b" } }],
  [
    "an optional package is there in another version",
    {
      ...a,
      ...tool,
      "node_modules/other-platform": { version: "0.9.0", integrity: "sha512-p" },
    },
  ],
])("refuses when %s", (_, packages) => {
  expect(isInstalled(wanted, { packages })).toBe(false);
});
