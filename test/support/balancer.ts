import { Agent, createServer, request, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Replica } from "./replica.ts";

const LOOK_EVERY_MS = 250;

/**
 * One address in front of replicas, as a proxy in Kubernetes is: takes turns among those that are ready, hears of one that is being ended only
 * after a while, keeps its connections open, and never sends a notification twice.
 */
export const startBalancer = async () => {
  const agents = new Map<Replica, Agent>();
  const ready = new Set<Replica>();
  let turn = 0;

  const look = async (): Promise<void> => {
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
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  let looking = look();
  const timer = setInterval(() => {
    looking = looking.then(look);
  }, LOOK_EVERY_MS);

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    add: (replica: Replica): void => void agents.set(replica, new Agent({ keepAlive: true })),
    isUsed: (replica: Replica): boolean => ready.has(replica),
    /** What is under way there is still answered. */
    remove: (replica: Replica): void => {
      ready.delete(replica);
      agents.delete(replica);
    },
    close: async (): Promise<void> => {
      clearInterval(timer);
      await looking;
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      for (const agent of agents.values()) agent.destroy();
    },
  };
};
