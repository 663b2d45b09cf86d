import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { configOf, problemsOf } from "./environment.ts";

let folder: string;
let users: string;
let empty: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "cambio-bridge-console-"));
  users = join(folder, "users");
  empty = join(folder, "empty");
  writeFileSync(users, "ana operator hash\n");
  writeFileSync(empty, "\n");
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const proxy = { CONSOLE_AUTH: "proxy-header", CONSOLE_TRUSTED_PROXY_CIDRS: "10.0.0.0/8" };
const basic = () => ({ CONSOLE_AUTH: "basic", CONSOLE_USERS_FILE: users });
const about = (variable: string): string[] => [expect.stringMatching(new RegExp(`^${variable} `)) as string];

describe("the console", () => {
  test("needs what a tool needs, and no token of the partner", () => {
    const without = { PARTNER_ACCESS_TOKEN: "", PARTNER_X_TOKEN: "", PARTNER_NAME: "", WEBHOOK_AUTH: "" };
    expect(problemsOf(without, "console")).toEqual([]);
    expect(problemsOf({ KAFKA_BROKERS: "" }, "console")).toEqual(about("KAFKA_BROKERS"));
  });

  test("without authentication is bound to its own machine only", () => {
    for (const host of ["127.0.0.1", "127.8.9.1", "::1", "localhost", "::ffff:127.0.0.1"])
      expect(problemsOf({ CONSOLE_HOST: host }, "console"), host).toEqual([]);
    for (const host of ["0.0.0.0", "::", "10.0.0.1", "console.example", "127.0.0.1.example", "::2"]) {
      expect(problemsOf({ CONSOLE_HOST: host }, "console"), host).toEqual(about("CONSOLE_HOST"));
      expect(problemsOf({ CONSOLE_HOST: host }, "tool"), host).toEqual([]);
      expect(problemsOf({ CONSOLE_HOST: host, ...basic() }, "console"), host).toEqual([]);
      expect(problemsOf({ CONSOLE_HOST: host, ...proxy }, "console"), host).toEqual([]);
    }
  });

  test("with basic authentication needs a users file", () => {
    const file = (name: string) => ({ CONSOLE_AUTH: "basic", CONSOLE_USERS_FILE: name });
    expect(problemsOf(file(users), "console")).toEqual([]);
    for (const name of ["", empty, folder, join(folder, "none")])
      expect(problemsOf(file(name), "console"), name).toEqual(about("CONSOLE_USERS_FILE"));
    expect(problemsOf(file(join(folder, "none")), "serve"), "no matter to a replica").toEqual([]);
  });

  test("behind a proxy needs the proxy's addresses", () => {
    expect(problemsOf(proxy, "console")).toEqual([]);
    for (const cidrs of ["", "0.0.0.0/0", "::/0", "10.0.0.0/40"])
      expect(problemsOf({ ...proxy, CONSOLE_TRUSTED_PROXY_CIDRS: cidrs }, "console"), cidrs).toEqual(
        about("CONSOLE_TRUSTED_PROXY_CIDRS"),
      );
    expect(problemsOf({ ...proxy, CONSOLE_USER_HEADER: "X User" }, "console")).toEqual(
      about("CONSOLE_USER_HEADER"),
    );
  });

  test("has an origin as browsers write it", () => {
    for (const origin of ["https://console.example", "https://console.example:8443", "http://localhost:8091"])
      expect(configOf({ CONSOLE_ORIGIN: origin }, "console").console.origin).toBe(origin);
    for (const origin of [
      "console.example",
      "http://console.example",
      "https://console.example/console",
      "https://console.example:443",
      "https://user@console.example",
      "https://console.example?",
      "ftp://console.example",
    ])
      expect(problemsOf({ CONSOLE_ORIGIN: origin }, "console"), origin).toEqual(about("CONSOLE_ORIGIN"));
  });

  test("four eyes hold for every command, and a misspelt setting stops each of them", () => {
    for (const purpose of ["tool", "console", "serve"] as const) {
      expect(configOf({ CONSOLE_FOUR_EYES: "true" }, purpose).console.fourEyes).toBe(true);
      expect(problemsOf({ CONSOLE_FOUR_EYES: "yes" }, purpose)).toEqual(about("CONSOLE_FOUR_EYES"));
      expect(problemsOf({ CONSOLE_FOUREYES: "true" }, purpose)).toEqual(about("CONSOLE_FOUREYES"));
    }
  });
});
