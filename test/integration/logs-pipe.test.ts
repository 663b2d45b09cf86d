import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { MAIN } from "../../dev/main.mjs";
import { eventually } from "../support/eventually.ts";

const CHUNK = Buffer.alloc(65_536, "[] ");

/** A log without end, of which somebody reads. */
const endlessLog = async () => {
  const state = { sent: 0, closed: 0 };
  const server = createServer((_, response) => {
    const pour = (): void => {
      while (!response.destroyed && response.write(CHUNK)) state.sent += CHUNK.length;
    };
    response.on("drain", pour).on("error", () => undefined);
    response.on("close", () => (state.closed += 1));
    pour();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const child = spawn(
    process.execPath,
    [MAIN, "logs", "--from", "2026-01-05", "--to", "2026-01-05", "--raw"],
    {
      stdio: ["ignore", "pipe", "pipe"],
      env: {
        PARTNER_BASE_URL: `http://127.0.0.1:${port}`,
        PARTNER_ACCESS_TOKEN: "access-token-of-tests",
        PARTNER_X_TOKEN: "x-token-of-tests",
        PARTNER_NAME: "acme",
      },
    },
  );
  onTestFinished(() => void child.kill("SIGKILL"));
  let err = "";
  child.stderr.on("data", (bytes: Buffer) => (err += bytes.toString()));
  return { state, child, err: () => err };
};

test("a reader that goes away ends the command, its connection, and no word is said", async () => {
  const { state, child, err } = await endlessLog();
  await once(child.stdout, "data");
  child.stdout.destroy();
  // Not at its "exit": what it wrote may come after that.
  expect(await once(child, "close")).toEqual([1, null]);
  expect(err()).toBe("");
  await eventually(() => state.closed === 1, "the end of the connection", 30_000);
});

test("a reader that stands still makes the partner stand still", async () => {
  const { state, child } = await endlessLog();
  await once(child.stdout, "readable");
  let before = -1;
  await eventually(
    async () => {
      const stands = state.sent === before;
      before = state.sent;
      await new Promise((resolve) => setTimeout(resolve, 300));
      return stands && state.sent === before;
    },
    "the flow to stand",
    20_000,
  );
  expect(state.sent).toBeLessThan(64 * 1_048_576);
});
