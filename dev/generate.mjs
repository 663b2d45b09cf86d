// Writes what is derived from another file of this project: the record types. A test fails when it is out of date.
import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import * as prettier from "prettier";
import { recordTypes } from "./generate/record-types.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));

/** @returns {Promise<{ path: string, text: string }[]>} every generated file with the text it should have */
export async function generated() {
  const style = (await prettier.resolveConfig(`${root}/package.json`)) ?? {};
  const types = recordTypes(`${root}/schemas`);
  return [
    { path: `${root}src/records.ts`, text: await prettier.format(types, { ...style, parser: "typescript" }) },
  ];
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const { path, text } of await generated()) {
    writeFileSync(path, text);
    console.log(`wrote ${path}`);
  }
}
