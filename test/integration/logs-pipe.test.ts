import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import { expect, onTestFinished, test } from "vitest";
import { MAIN } from "../../dev/main.mjs";
import { eventually } from "../support/eventually.ts";
import { listen } from "../support/listen.ts";

const CHUNK = Buffer.alloc(65_536, "[] ");

test("a reader of the partner's log that stands still makes the partner stand still", async () => {
  let sent = 0;
  const server = createServer((_, response) => {
    const pour = (): void => {
      while (!response.destroyed && response.write(CHUNK)) sent += CHUNK.length;
    };
    response.on("drain", pour).on("error", () => undefined);
    pour();
  });
  onTestFinished(() => server.close().closeAllConnections());
  const PARTNER_BASE_URL = `http://${await listen(server)}`;
  const args = ["logs", "--from", "2026-01-05", "--to", "2026-01-05", "--raw"];
  const child = spawn(process.execPath, [MAIN, ...args], {
    stdio: ["ignore", "pipe", "ignore"],
    env: {
      PARTNER_BASE_URL,
      PARTNER_ACCESS_TOKEN: "access-token-of-tests",
      PARTNER_X_TOKEN: "x-token-of-tests",
      PARTNER_NAME: "acme",
    },
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  await once(child.stdout, "readable");
  let before = -1;
  await eventually(
    async () => {
      const stands = sent === before;
      before = sent;
      await new Promise((resolve) => setTimeout(resolve, 300));
      return stands && sent === before;
    },
    "the flow to stand",
    20_000,
  );
  expect(sent).toBeLessThan(64 * 1_048_576);
});
