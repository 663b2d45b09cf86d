import { expect, test } from "vitest";
import { compareClocks } from "../../../src/doctor/clocks.ts";

const NOW_MS = Date.UTC(2026, 0, 5, 12);

/** The line about a clock of ours that is so many seconds ahead. */
const said = (aheadS: number): string => {
  const theirs = new Date(NOW_MS - aheadS * 1_000).toUTCString();
  const { status, detail } = compareClocks(theirs, NOW_MS + 500);
  return `${status} ${detail}`;
};

test.each([
  [3, /^ok they agree$/],
  [20, /^warn ours is 20 s ahead$/],
  [-20, /^warn ours is 20 s behind$/],
  [90, /^fail ours is 90 s ahead: around midnight in America\/Sao_Paulo today's accepts may be refused/],
  [-600, /^fail ours is 10 min behind: /],
  [3 * 3_600, /^fail ours is 3 h ahead: .*COMMANDS_MAX_AGE/],
])("%i s ahead", (seconds, line) => {
  expect(said(seconds)).toMatch(line);
});
