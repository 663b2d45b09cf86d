import { expect, test } from "vitest";
import { parseUsers } from "../../../src/console/users.ts";
import { RIGHT } from "./browser.ts";

test("lines of htpasswd with an optional role, comments and blank lines", () => {
  const text = `# who\r\n\r\nana:${RIGHT}:operator\r\nvic:${RIGHT}\n  bia:${RIGHT.replace("$2b$", "$2y$")}:viewer  \n`;
  expect(parseUsers(text)).toEqual({
    users: [
      { name: "ana", hash: RIGHT, role: "operator" },
      { name: "vic", hash: RIGHT, role: "viewer" },
      { name: "bia", hash: RIGHT.replace("$2b$", "$2y$"), role: "viewer" },
    ],
    problems: [],
  });
});

test.each([
  ["secret", "is not of the form"],
  [`ana:${RIGHT}:operator:more`, "is not of the form"],
  [`:${RIGHT}`, "name is empty"],
  [`a\u202eb:${RIGHT}`, "cannot be seen"],
  ["ana:secret", "hash is none of bcrypt"],
  ["ana:$apr1$abc$secret", "hash is none of bcrypt"],
  [`ana:${RIGHT.replace("$04$", "$31$")}`, "cost outside"],
  [`ana:${RIGHT}:admin-secret`, "role is neither"],
  [`first:${RIGHT}:viewer`, "stands further up"],
  [`First:${RIGHT}:operator`, "differs only in case or spelling"],
  [`ｆirst:${RIGHT}:operator`, "differs only in case or spelling"],
])("%j: a sentence with its number, never its content", (line, problem) => {
  const { users, problems } = parseUsers(`first:${RIGHT}\n${line}\n`);
  expect(users.map(({ name }) => name)).toEqual(["first"]);
  expect(problems).toHaveLength(1);
  expect(problems[0]).toMatch(/^Line 2: /);
  expect(problems[0]).toContain(problem);
  expect(problems[0]).not.toContain("secret");
});

test("a file that names nobody is a problem", () => {
  expect(parseUsers("# nobody\n").problems).toEqual(["It names nobody, so nobody could sign in."]);
});
