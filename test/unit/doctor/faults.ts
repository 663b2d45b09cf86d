import type { Environment } from "../../../src/config/load.ts";
import { partnerSettings, runCommand } from "../cli/run-command.ts";
import { serve, type Server } from "../partner/hostile-server.ts";

export type Said = { group: string; name: string; status: string; detail: string; remedy: string | null };

/** Nobody listens there. */
export const NOWHERE = "127.0.0.1:1";

/** What `serve` needs, with everything that it talks to out of reach, so that only what a test plants is slow. */
export const nowhere: Environment = {
  KAFKA_BROKERS: NOWHERE,
  SCHEMA_REGISTRY_URL: `http://${NOWHERE}`,
  ...partnerSettings(`http://${NOWHERE}`),
  WEBHOOK_AUTH: "hmac",
  WEBHOOK_SIGNATURE_HEADER: "x-signature",
  WEBHOOK_SECRET: "webhook-secret-of-tests",
};

const SECRETS = ["access-token-of-tests", "x-token-of-tests", "webhook-secret-of-tests"];

/** Runs `doctor`, and gives what it says of each thing. */
export const examine = async (over: Environment) => {
  const { code, out, err } = await runCommand({ ...nowhere, ...over }, ["doctor", "--json"]);
  const told = JSON.parse(out) as { ok: boolean; checks: Said[] };
  const leaked = SECRETS.filter((secret) => (out + err).includes(secret));
  if (leaked.length > 0) throw new Error(`doctor told ${leaked.join(", ")}`);
  const of = (group: string, name = ""): Said[] =>
    told.checks.filter((check) => check.group === group && check.name.includes(name));
  /** The one line about something, as people read it. */
  const line = (group: string, name = ""): string => {
    const [only, ...more] = of(group, name);
    if (!only || more.length > 0) throw new Error(`not one check of ${group} ${name}: ${out}`);
    return `${only.status} ${only.detail}: ${only.remedy ?? ""}`;
  };
  return { code, ok: told.ok, checks: told.checks, of, line };
};

/** An HTTP server that answers by the method of a request. */
export const httpServer = async (reply: (method: string) => string): Promise<Server> => {
  const server: Server = await serve({
    onRequest: (socket) => {
      const [method = ""] = (server.seen.find((each) => each.socket === socket)?.text ?? "").split(" ");
      socket.end(reply(method));
    },
  });
  return server;
};
