import { freePort } from "../../dev/cluster/ports.mjs";
import { messageOf } from "../../src/runtime/errors.ts";
import { eventually } from "./eventually.ts";
import type { Program } from "./program.ts";
import { secrets, type Settings } from "./settings.ts";

/** A running `serve`. */
export type Replica = Program & {
  name: string;
  /** The URL for notifications, with the secret. */
  webhookUrl: string;
  managementUrl: string;
  isReady: () => Promise<boolean>;
  /** What /readyz says of each component. */
  components: () => Promise<Record<string, { status: string; detail: string } | undefined>>;
  metrics: () => Promise<string>;
  hasMetric: (line: RegExp) => Promise<boolean>;
  /** Waits for /readyz. */
  untilReady: (withinMs?: number) => Promise<void>;
};

const READY_MS = 45_000;
const LAST_LINES = 8;

/** Starts `serve` on ports that are chosen beforehand, so that a test can watch it start. */
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
  const metrics = async (): Promise<string> => (await fetch(`${managementUrl}/metrics`)).text();
  return {
    ...program,
    name,
    managementUrl,
    webhookUrl: `http://127.0.0.1:${webhookPort}/webhooks/transaction-status/${secrets.WEBHOOK_SECRET}`,
    isReady,
    components: async () => {
      const answer = await fetch(`${managementUrl}/readyz`);
      return ((await answer.json()) as { components: Awaited<ReturnType<Replica["components"]>> }).components;
    },
    metrics,
    hasMetric: async (line) => line.test(await metrics()),
    untilReady: async (withinMs = READY_MS) => {
      await eventually(isReady, `${name} to be ready`, withinMs).catch(async (error: unknown) => {
        // The logs are deleted with the world.
        const said = (await program.lines()).slice(-LAST_LINES).join("\n");
        throw new Error(`${messageOf(error)}; its last lines:\n${said}`, { cause: error });
      });
    },
  };
};
