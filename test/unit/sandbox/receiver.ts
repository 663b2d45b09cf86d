import http from "node:http";
import type { AddressInfo } from "node:net";

export type Received = { at: number; path: string; headers: http.IncomingHttpHeaders; body: string };

/** Receives notifications and answers them as told; what came is in `received`. */
export const startReceiver = async (answer: (nth: number, received: Received) => number = () => 200) => {
  const received: Received[] = [];
  const server = http.createServer((request, response) => {
    let body = "";
    request.on("data", (chunk: Buffer) => (body += chunk.toString()));
    request.on("end", () => {
      const one = { at: performance.now(), path: request.url ?? "", headers: request.headers, body };
      received.push(one);
      response.writeHead(answer(received.length, one)).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
};
