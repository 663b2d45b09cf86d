import { expect, test } from "vitest";
import { createPasswords } from "../../../src/console/sign-in/passwords.ts";
import { basic, RIGHT } from "./browser.ts";

const open = (isRight?: (password: string, hash: string) => Promise<boolean>) => {
  let nowMs = 0;
  const users = ["ana", "bia"].map((name) => ({ name, role: "operator" as const, hash: RIGHT }));
  const checked: string[] = [];
  const check =
    isRight ??
    ((password: string, hash: string) => {
      checked.push(hash);
      return Promise.resolve(password === "right");
    });
  const passwords = createPasswords(() => users, { monotonic: () => nowMs }, check);
  return { passwords, users, checked, pass: (ms: number) => (nowMs += ms) };
};

test("a right header is not checked again for a while, and a changed password counts at once", async () => {
  const { passwords, users, checked, pass } = open();
  for (let i = 0; i < 5; i++) expect(await passwords(basic("ana"), "::1")).toMatchObject({ kind: "user" });
  expect(checked).toHaveLength(1);
  pass(60_001);
  await passwords(basic("ana"), "::1");
  expect(checked).toHaveLength(2);
  users[0] = { name: "ana", role: "operator", hash: `${RIGHT.slice(0, -1)}x` };
  await passwords(basic("ana"), "::1");
  expect(checked).toHaveLength(3);
  users.length = 0;
  expect(await passwords(basic("ana"), "::1")).toEqual({ kind: "wrong" });
});

test("an unknown name takes as long as a known one", async () => {
  const { passwords, checked } = open();
  expect(await passwords(basic("nobody", "right"), "::1")).toEqual({ kind: "wrong" });
  expect(checked).toEqual([RIGHT]);
});

test("each use of a header prolongs how long it is remembered", async () => {
  const { passwords, checked, pass } = open();
  for (let i = 0; i < 5; i++) {
    expect(await passwords(basic("ana"), "::1")).toMatchObject({ kind: "user" });
    pass(40_000);
  }
  expect(checked).toHaveLength(1);
});

test("ten wrong tries a minute of a name from an address, also in parallel; other names and signed-in users are not affected", async () => {
  const { passwords, checked, pass } = open();
  await passwords(basic("ana"), "::1");
  const tries = [];
  for (let i = 0; i < 30; i++) tries.push(await passwords(basic("ana", `guess ${i}`), "::1"));
  expect(tries.filter(({ kind }) => kind === "wrong")).toHaveLength(10);
  expect(tries.at(-1)).toEqual({ kind: "wait", ms: 60_000, why: "failed" });
  expect(checked).toHaveLength(11);
  expect(await passwords(basic("ana"), "::1")).toMatchObject({ kind: "user" });
  expect(await passwords(basic("ana", "guess"), "::2")).toEqual({ kind: "wrong" });
  expect(await passwords(basic("bia"), "::1")).toMatchObject({ kind: "user" });
  pass(60_001);
  expect(await passwords(basic("ana", "guess"), "::1")).toEqual({ kind: "wrong" });
});

test("an address has its own bound; names that were right there are exempt, and names that were never wrong have a higher one", async () => {
  const { passwords, checked, pass } = open();
  await passwords(basic("ana"), "::1");
  pass(60_001);
  const guess = (name: string) => passwords(basic(name, "guess"), "::1");
  for (let i = 0; i < 50; i++) expect(await guess(`name ${i % 25}`)).toEqual({ kind: "wrong" });
  expect(await guess("name 0")).toEqual({ kind: "wait", ms: 60_000, why: "failed" });
  expect(await passwords(basic("bia"), "::1")).toMatchObject({ kind: "user" });
  for (let i = 0; i < 60; i++) await guess(`another ${i}`);
  expect(checked).toHaveLength(1 + 100 + 1);
  expect(await guess("one more")).toMatchObject({ kind: "wait" });
  expect(await passwords(basic("ana"), "::1")).toMatchObject({ kind: "user" });
  expect(await passwords(basic("ana", "mistyped"), "::1")).toEqual({ kind: "wrong" });
  pass(60_001);
  expect(await guess("name 0")).toEqual({ kind: "wrong" });
});

test("one check at a time, eight waiting; further ones are told to wait, and do not count as wrong", async () => {
  const under: (() => void)[] = [];
  let running = 0;
  let most = 0;
  const { passwords } = open(async () => {
    most = Math.max(most, ++running);
    await new Promise<void>((resolve) => under.push(resolve));
    running--;
    return false;
  });
  const all = [...Array(12).keys()].map(async (i) => passwords(basic("ana", `guess ${i}`), `10.0.0.${i}`));
  for (let i = 0; i < 8; i++) {
    await expect.poll(() => under.length).toBe(i + 1);
    under[i]!();
  }
  const kinds = (await Promise.all(all)).map(({ kind }) => kind);
  expect(kinds).toEqual([...Array<string>(8).fill("wrong"), ...Array<string>(4).fill("wait")]);
  expect(most).toBe(1);
});

test("one address cannot keep a right password at another one out", async () => {
  const { passwords } = open();
  const flood = [...Array(9).keys()].map(async (i) => passwords(basic(`name ${i}`, "guess"), "10.0.0.1"));
  const right = passwords(basic("ana"), "10.0.0.2");
  expect(await right).toMatchObject({ kind: "user" });
  const kinds = (await Promise.all(flood)).map(({ kind }) => kind);
  expect(kinds).toEqual([...Array<string>(2).fill("wrong"), ...Array<string>(7).fill("wait")]);
});

test("who signed in lately has a place while others hold all of them, also others at the same address", async () => {
  const { passwords, pass } = open();
  await passwords(basic("ana"), "10.0.0.1");
  pass(60_001);
  const flood = [...Array(20).keys()].map(async (i) =>
    passwords(basic(`name ${i}`, "guess"), `10.0.0.${1 + (i % 10)}`),
  );
  const [known, stranger] = [passwords(basic("ana"), "10.0.0.1"), passwords(basic("bia"), "10.0.0.99")];
  expect(await known).toMatchObject({ kind: "user" });
  expect(await stranger).toEqual({ kind: "wait", ms: 1_000, why: "busy" });
  expect((await Promise.all(flood)).filter(({ kind }) => kind === "wrong")).toHaveLength(8);
});

test("the same header many times at once is checked once", async () => {
  const { passwords, checked } = open();
  const all = await Promise.all([...Array(20).keys()].map(async () => passwords(basic("ana"), "::1")));
  expect(all.every(({ kind }) => kind === "user")).toBe(true);
  expect(checked).toHaveLength(1);
});

test.each([
  "",
  "Basic",
  "Basic ",
  "Basic %%%",
  "Bearer abc",
  `Basic ${Buffer.from("no colon").toString("base64")}`,
])("%j is no name and password", async (header) => {
  const { passwords, checked } = open();
  expect(await passwords(header, "::1")).toEqual({ kind: "wrong" });
  expect(checked).toHaveLength(0);
});
