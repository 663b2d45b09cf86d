import http from "node:http";
import { expect, onTestFinished, test } from "vitest";
import { postWithin } from "../../../sandbox/notifications/post.ts";
import { listen } from "../../support/listen.ts";

const serve = async (listener: http.RequestListener) => {
  const server = http.createServer(listener);
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return { server, url: `http://${await listen(server)}/` };
};

const post = (url: string, timeoutMs = 5_000, closed = new AbortController().signal) =>
  postWithin(timeoutMs, closed)(url, "{}");

test("an answer comes back with its status; redirects are not followed", async () => {
  const { url } = await serve((request, response) => {
    request.resume().on("end", () => response.writeHead(302, { location: "/" }).end("x".repeat(10_000)));
  });
  expect(await post(url)).toEqual({ httpStatus: 302, error: null });
});

test("a receiver that is not there, that hangs, or that cuts its answer off is an error, not a rejection", async () => {
  const { server, url: nobody } = await serve(() => undefined);
  await new Promise((resolve) => server.close(resolve));
  expect(await post(nobody)).toEqual({ httpStatus: null, error: "ECONNREFUSED" });
  const { url: hanging } = await serve(() => undefined);
  expect(await post(hanging, 50)).toEqual({ httpStatus: null, error: "no answer within 50 ms" });
  const closing = new AbortController();
  const pending = post(hanging, 60_000, closing.signal);
  closing.abort();
  expect(await pending).toMatchObject({ httpStatus: null });
  const { url: cutting } = await serve((_, response) => {
    response.writeHead(200, { "content-length": 100 });
    response.write("half", () => response.socket?.destroy());
  });
  expect(await post(cutting)).toMatchObject({ httpStatus: null });
});

test("an answer whose body never ends is not posted again on a kept connection", async () => {
  let posts = 0;
  const { url } = await serve((request, response) => {
    posts += 1;
    request.resume().on("end", () => {
      response.writeHead(200);
      if (posts === 1) response.end();
      else response.write("and then nothing");
    });
  });
  expect(await post(url)).toMatchObject({ httpStatus: 200 });
  expect(await post(url, 200)).toMatchObject({ httpStatus: null });
  expect(posts).toBe(2);
});
