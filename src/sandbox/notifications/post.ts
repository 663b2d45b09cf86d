import http from "node:http";
import https from "node:https";

export type PostResult = { httpStatus: number; error: null } | { httpStatus: null; error: string };

export type Poster = {
  post(url: string, body: string, headers: Record<string, string>): Promise<PostResult>;
  close: () => void;
};

/** Posts notifications. Never rejects: the result holds the error. Does not follow redirects. */
export const createPoster = (timeoutMs: number): Poster => {
  // Idle sockets are closed long before a receiver would close them, so that a request rarely meets a closing
  // one.
  const agentOptions = { keepAlive: true, maxSockets: 1024, timeout: 1000, scheduling: "lifo" } as const;
  const agents = { http: new http.Agent(agentOptions), https: new https.Agent(agentOptions) };

  const send = (
    url: URL,
    body: string,
    headers: Record<string, string>,
    mayRepeat: boolean,
  ): Promise<PostResult> =>
    new Promise((resolve) => {
      const secure = url.protocol === "https:";
      const request = (secure ? https : http).request(url, {
        method: "POST",
        agent: secure ? agents.https : agents.http,
        headers: { ...headers, "content-length": Buffer.byteLength(body) },
      });
      const timer = setTimeout(
        () => request.destroy(new Error(`no answer within ${timeoutMs} ms`)),
        timeoutMs,
      );
      const fail = (error: Error & { code?: string }) => {
        clearTimeout(timer);
        // The receiver closed the idle connection at the same time: it has not read the request, so this is
        // no attempt.
        if (mayRepeat && request.reusedSocket && error.code === "ECONNRESET")
          resolve(send(url, body, headers, false));
        else resolve({ httpStatus: null, error: error.code ?? error.message });
      };
      request.once("error", fail);
      request.once("response", (response) => {
        response.resume();
        // The receiver has read the notification: to send it again would be another attempt.
        response.once("error", ({ message }) => {
          clearTimeout(timer);
          resolve({ httpStatus: null, error: `answer cut off: ${message}` });
        });
        response.once("end", () => {
          clearTimeout(timer);
          resolve({ httpStatus: response.statusCode ?? 0, error: null });
        });
      });
      request.end(body);
    });

  return {
    post: (url, body, headers) => send(new URL(url), body, headers, true),
    close: () => {
      agents.http.destroy();
      agents.https.destroy();
    },
  };
};
