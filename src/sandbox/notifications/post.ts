import http from "node:http";
import https from "node:https";

export type PostResult =
  { httpStatus: number; answer: string; error: null } | { httpStatus: null; answer: null; error: string };

export type Poster = {
  post(url: string, body: string, headers: Record<string, string>): Promise<PostResult>;
  close: () => void;
};

const keptOfAnswer = 2048;

/** Sends notifications. Never rejects: what went wrong is in the result. Redirects are not followed. */
export const createPoster = (timeoutMs: number): Poster => {
  // Idle sockets are dropped long before a receiver would drop them, so that a send seldom meets a closing one.
  const kept = { keepAlive: true, maxSockets: 1024, timeout: 1000, scheduling: "lifo" } as const;
  const agents = { http: new http.Agent(kept), https: new https.Agent(kept) };

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
        // The receiver closed an idle connection while we picked it: nothing was handled, so it is not an attempt.
        if (mayRepeat && request.reusedSocket && error.code === "ECONNRESET")
          resolve(send(url, body, headers, false));
        else resolve({ httpStatus: null, answer: null, error: error.code ?? error.message });
      };
      request.once("error", fail);
      request.once("response", (response) => {
        let answer = "";
        response.setEncoding("utf8");
        response.on("data", (chunk: string) => {
          if (answer.length < keptOfAnswer) answer += chunk.slice(0, keptOfAnswer - answer.length);
        });
        // From here on the receiver has read the notification: sending it again would be another attempt.
        response.once("error", ({ message }) => {
          clearTimeout(timer);
          resolve({ httpStatus: null, answer: null, error: `answer cut off: ${message}` });
        });
        response.once("end", () => {
          clearTimeout(timer);
          resolve({ httpStatus: response.statusCode ?? 0, answer, error: null });
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
