import http from "node:http";
import { listen } from "../support/listen.ts";

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
  const url = `http://${await listen(server)}`;
  return {
    url,
    received,
    close: (): void => server.close().closeAllConnections(),
  };
};
