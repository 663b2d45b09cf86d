import { onTestFinished } from "vitest";
import type { SandboxOptions } from "../../sandbox/options.ts";
import { startSandbox } from "../../sandbox/start.ts";
import { clientOf, type Client } from "./client.ts";
import { startReceiver, type Received } from "./receiver.ts";

/** A sandbox of this test's own, ended with it, and a client for it. */
export const openSandbox = async (options: SandboxOptions = {}): Promise<Client & { url: string }> => {
  const sandbox = await startSandbox(options);
  onTestFinished(sandbox.close);
  return { ...clientOf(sandbox.url), url: sandbox.url };
};

export const openReceiver = async (answer?: (nth: number, received: Received) => number) => {
  const receiver = await startReceiver(answer);
  onTestFinished(receiver.close);
  return receiver;
};
