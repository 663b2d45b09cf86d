import { createServer, type IncomingMessage, type RequestListener } from "node:http";
import { createServer as createTlsServer, type ServerOptions } from "node:https";
import { text } from "node:stream/consumers";
import { onTestFinished } from "vitest";
import { listen } from "../../../support/listen.ts";

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
  const content = await text(request);
  return content === "" ? null : JSON.parse(content);
};

/** A fake schema registry over HTTP, or over HTTPS with a certificate. Records its requests. */
export const startFakeRegistry = async (
  respond: Respond,
  tls?: ServerOptions,
): Promise<{ url: string; asked: Asked[] }> => {
  const asked: Asked[] = [];
  const listener: RequestListener = (request, response) => {
    void bodyOf(request).then((body) => {
      const { method = "", url: path = "", headers } = request;
      const { authorization, "x-tenant": tenant } = headers;
      const question = { method, path, authorization, tenant, body };
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
  const address = await listen(server);
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `${tls ? "https" : "http"}://${address}`, asked };
};
