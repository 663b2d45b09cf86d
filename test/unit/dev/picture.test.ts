import { expect, test } from "vitest";
import { pictureOf, screenLines } from "../../../dev/terminal/picture.mjs";
import { painter } from "../../../dev/terminal/style.mjs";

const paint = painter(true);

test("what was erased on the terminal is not on the picture", () => {
  const output = `\r\u001b[K⠋ starting 0 s\r\u001b[K${paint("green", "✓")} started\r\n\r\u001b[K\r\nend`;
  expect(screenLines(output)).toEqual([`${paint("green", "✓")} started`, "", "end"]);
});

test("each stretch stands in its column, in its colour", () => {
  const picture = pictureOf([
    `  ${paint("bold", "a<b")}  plain ${paint("dim", paint("red", "c"))}`,
    "",
    "& end",
  ]);
  const texts = [
    ...picture.matchAll(/<text x="(\d+)" y="(\d+)" fill="(\S+)"(.*?) textLength="(\d+)".*?>(.*)</g),
  ];
  expect(texts.map(([, ...found]) => found)).toEqual([
    ["32", "30", "#e6edf3", ' font-weight="bold"', "24", "a&lt;b"],
    ["72", "30", "#e6edf3", "", "40", "plain"],
    ["120", "30", "#9198a1", "", "8", "c"],
    ["16", "68", "#e6edf3", "", "40", "&amp; end"],
  ]);
});
