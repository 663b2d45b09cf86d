import { expect, it } from "vitest";
import { eventually } from "../../support/eventually.ts";

it("gives what it saw as soon as it is something, whatever went wrong before", async () => {
  let looks = 0;
  const look = (): string | false => {
    looks += 1;
    if (looks === 1) throw new Error("not yet");
    return looks > 2 && "there";
  };
  expect(await eventually(look, "it to be there")).toBe("there");
  expect(looks).toBe(3);
});

it("says what it waited for, and what was wrong last", async () => {
  const look = () => Promise.reject(new Error("connection refused"));
  await expect(eventually(look, "the server to answer", 60)).rejects.toThrow(
    "still waiting for the server to answer after 60 ms: connection refused",
  );
});

it("does not wait for a look that hangs", async () => {
  const hangs = () => new Promise<true>(() => undefined);
  await expect(eventually(hangs, "godot", 60)).rejects.toThrow("still waiting for godot after 60 ms");
});
