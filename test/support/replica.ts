import { freePort } from "../../dev/cluster/ports.mjs";
import { eventually } from "./eventually.ts";
import type { Program } from "./program.ts";
import { secrets, type Settings } from "./settings.ts";

/** A running `serve`, seen from outside only. */
export type Replica = Program & {
  name: string;
  /** Where notifications go, the secret of the path included. */
  webhookUrl: string;
  managementUrl: string;
  isReady: () => Promise<boolean>;
  /** Waits as an orchestrator would. */
  untilReady: (withinMs?: number) => Promise<void>;
};

const READY_MS = 45_000;

/** Starts `serve` on ports that are known before it says them: how it starts can be watched too. */
export const startReplica = async (
  name: string,
  start: (args: readonly string[], ports: Settings) => Promise<Program>,
): Promise<Replica> => {
  const [webhookPort, managementPort] = [await freePort(), await freePort()];
  const ports = { WEBHOOK_PORT: String(webhookPort), MANAGEMENT_PORT: String(managementPort) };
  const program = await start(["serve"], ports);
  const managementUrl = `http://127.0.0.1:${managementPort}`;
  const isReady = async (): Promise<boolean> => {
    try {
      const answer = await fetch(`${managementUrl}/readyz`, { signal: AbortSignal.timeout(2_000) });
      return answer.status === 200;
    } catch {
      return false;
    }
  };
  return {
    ...program,
    name,
    managementUrl,
    webhookUrl: `http://127.0.0.1:${webhookPort}/webhooks/transaction-status/${secrets.WEBHOOK_SECRET}`,
    isReady,
    untilReady: async (withinMs = READY_MS) => {
      await eventually(isReady, `${name} to be ready`, withinMs);
    },
  };
};
