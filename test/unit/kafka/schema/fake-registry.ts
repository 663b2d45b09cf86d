import { createServer, type IncomingMessage, type RequestListener } from "node:http";
import { createServer as createTlsServer, type ServerOptions } from "node:https";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

export type Asked = {
  method: string;
  path: string;
  authorization: string | undefined;
  tenant: unknown;
  body: unknown;
};
export type Answer = { status: number; body: unknown };
type Respond = (asked: Asked) => Answer | "hang" | "reset";

export const notFound = (code: number): Answer => ({
  status: 404,
  body: { error_code: code, message: "not found" },
});

const bodyOf = async (request: IncomingMessage): Promise<unknown> => {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  const text = String(Buffer.concat(parts));
  return text === "" ? null : JSON.parse(text);
};

/** A fake schema registry over HTTP, or over HTTPS with a certificate. Records its requests. */
export const startFakeRegistry = async (
  respond: Respond,
  tls?: ServerOptions,
): Promise<{ url: string; asked: Asked[] }> => {
  const asked: Asked[] = [];
  const listener: RequestListener = (request, response) => {
    void bodyOf(request).then((body) => {
      const { method = "", url = "", headers } = request;
      const question = {
        method,
        path: url,
        authorization: headers.authorization,
        tenant: headers["x-tenant"],
        body,
      };
      asked.push(question);
      const answer = respond(question);
      if (answer === "hang") return;
      if (answer === "reset") {
        request.socket.destroy();
        return;
      }
      response.writeHead(answer.status, { "content-type": "application/json" });
      response.end(typeof answer.body === "string" ? answer.body : JSON.stringify(answer.body));
    });
  };
  const server = tls ? createTlsServer(tls, listener) : createServer(listener);
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `${tls ? "https" : "http"}://127.0.0.1:${(server.address() as AddressInfo).port}`, asked };
};
