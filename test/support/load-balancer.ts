import { Agent, createServer, request, type IncomingMessage, type ServerResponse } from "node:http";
import type { Replica } from "./replica.ts";
import { listen } from "./listen.ts";

const CHECK_EVERY_MS = 250;

/**
 * A load balancer like the proxy in Kubernetes: round robin among the replicas that are ready, with
 * keep-alive and without retries. It notices only after a while that a replica is no longer ready.
 */
export const startLoadBalancer = async () => {
  const agents = new Map<Replica, Agent>();
  const ready = new Set<Replica>();
  let turn = 0;

  const checkReadiness = async (): Promise<void> => {
    for (const replica of agents.keys()) {
      const isReady = await replica.isReady();
      if (isReady && agents.has(replica)) ready.add(replica);
      else ready.delete(replica);
    }
  };

  const pass = (incoming: IncomingMessage, response: ServerResponse): void => {
    const replica = [...ready][turn++ % Math.max(ready.size, 1)];
    const agent = replica && agents.get(replica);
    if (!agent) {
      response.writeHead(502).end();
      return;
    }
    const { method, headers } = incoming;
    const onward = request(replica.webhookUrl, { method, headers, agent }, (answer) => {
      response.writeHead(answer.statusCode ?? 502);
      answer.pipe(response);
    });
    onward.on("error", () => response.writeHead(502).end());
    incoming.pipe(onward);
  };

  const server = createServer(pass);
  const address = await listen(server);
  let checking = checkReadiness();
  const timer = setInterval(() => {
    checking = checking.then(checkReadiness);
  }, CHECK_EVERY_MS);

  return {
    url: `http://${address}/`,
    add: (replica: Replica): void => void agents.set(replica, new Agent({ keepAlive: true })),
    isUsed: (replica: Replica): boolean => ready.has(replica),
    /** Open requests to the replica are still answered. */
    remove: (replica: Replica): void => {
      ready.delete(replica);
      agents.delete(replica);
    },
    close: async (): Promise<void> => {
      clearInterval(timer);
      await checking;
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      for (const agent of agents.values()) agent.destroy();
    },
  };
};
