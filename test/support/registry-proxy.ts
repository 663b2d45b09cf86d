import { createServer, type ServerResponse } from "node:http";
import { request } from "undici";
import { onTestFinished } from "vitest";
import { sharedCluster } from "./cluster.ts";
import { listen } from "./listen.ts";

/** As Karapace answers before it has read its topic: it knows nothing, and takes no registration. */
const answerOfStarting = (method: string, path: string): { status: number; code: number } => {
  if (method === "POST" && path.endsWith("/versions")) return { status: 500, code: 50003 };
  if (path.startsWith("/schemas/ids/")) return { status: 404, code: 40403 };
  return { status: 404, code: path.startsWith("/config/") ? 40408 : 40401 };
};

const send = (response: ServerResponse, { status, code }: { status: number; code: number }): void => {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify({ error_code: code, message: "not now" }));
};

/**
 * A way to the shared registry that can be shut, slow, or as forgetful as one that has just started. Ends with the test.
 */
export const registryProxy = async () => {
  const questions: string[] = [];
  let forgets: (path: string) => boolean = () => false;
  let answering = Promise.resolve();
  const { schemaRegistryUrl } = sharedCluster();
  const server = createServer((incoming, outgoing) => {
    const { method = "", url = "" } = incoming;
    const path = url.replace(/^\/r/, "");
    questions.push(`${method} ${path}`);
    if (forgets(path)) {
      send(outgoing, answerOfStarting(method, path));
      return;
    }
    const forward = () =>
      request(schemaRegistryUrl + path, {
        method: method as "GET",
        headers: { "content-type": "application/vnd.schemaregistry.v1+json" },
        ...(method === "GET" ? {} : { body: incoming }),
      });
    answering.then(forward).then(
      ({ statusCode, body }) => body.pipe(outgoing.writeHead(statusCode)),
      () => outgoing.destroy(),
    );
  });
  const address = await listen(server);
  const [host, port] = address.split(":");
  const shut = (): void => server.close().closeAllConnections();
  onTestFinished(shut);
  return {
    url: `http://${address}/r`,
    questions,
    /** Makes it know nothing of these paths, until it is told otherwise. */
    forget: (which: (path: string) => boolean): void => void (forgets = which),
    /** Answers nothing until the function that is given back is called. */
    hold: (): (() => void) => {
      const { promise, resolve } = Promise.withResolvers<undefined>();
      answering = promise;
      return () => resolve(undefined);
    },
    /** Cuts connections, and refuses new ones. */
    shut,
    open: () => new Promise<void>((resolve) => server.listen(Number(port), host, resolve)),
  };
};
