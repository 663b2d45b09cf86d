import http from "node:http";
import { onTestFinished } from "vitest";
import type { SandboxOptions } from "../../sandbox/options.ts";
import { startSandbox } from "../../sandbox/start.ts";
import { listen } from "../support/listen.ts";
import { clientOf, type Client } from "./client.ts";

/** A sandbox of this test's own, ended with it, and a client for it. */
export const openSandbox = async (options: SandboxOptions = {}): Promise<Client & { url: string }> => {
  const sandbox = await startSandbox(options);
  onTestFinished(sandbox.close);
  return { ...clientOf(sandbox.url), url: sandbox.url };
};

/** Receives notifications and answers them as told; what came is in `received`. */
export const openReceiver = async (answer: (nth: number) => number = () => 200) => {
  const received: { path: string; body: string }[] = [];
  const server = http.createServer((request, response) => {
    let body = "";
    request.on("data", (chunk: Buffer) => (body += chunk.toString()));
    request.on("end", () => {
      received.push({ path: request.url ?? "", body });
      response.writeHead(answer(received.length)).end();
    });
  });
  onTestFinished(() => server.close().closeAllConnections());
  return { url: `http://${await listen(server)}`, received };
};
