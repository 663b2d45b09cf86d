import { describe, expect, it } from "vitest";
import { eventually } from "../../../support/eventually.ts";
import { answer, ACCEPT, free } from "../hostile-server.ts";
import { keeping, ok, withOneIdle, worldOf } from "../keeping-server.ts";

const UNASKED = [
  ["an answer", answer("200 OK", '{"n":"stray"}')],
  ["an answer that says that no request came", answer("408 Request Timeout", "")],
  ["an informational answer", "HTTP/1.1 100 Continue\r\n\r\n"],
  ["the beginning of an answer", "HTTP/1.1 2"],
  ["something that is no answer", "}"],
] as const;

describe("what comes over an idle connection is taken for no call's answer", () => {
  it.each(UNASKED)("%s: the connection is closed at once", async (_, text) => {
    const { server, together } = await withOneIdle();
    server.sockets[0]?.write(text);
    await eventually(() => server.open() === 0, "the connection to be closed");
    expect(await together(1)).toEqual([1]);
  });

  it.each(UNASKED)("%s that has arrived, and nobody has looked for it", async (_, text) => {
    const { server, partner } = await withOneIdle();
    server.sockets[0]?.write(text);
    expect(await partner.call(ACCEPT, free())).toMatchObject({ kind: "executed", answer: { body: "{}" } });
    expect(server.requests).toEqual([0, 1]);
  });

  it.each(UNASKED)("%s that comes along with the answer before", async (_, text) => {
    let isOdd = true;
    const server = await keeping({
      answer: (request, response) => {
        if (isOdd) request.socket.write(answer("200 OK") + text);
        else ok(request, response);
      },
    });
    const { together } = worldOf(server);
    await together(10);
    isOdd = false;
    expect(await together(10)).toEqual([10, 11, 12, 13, 14, 15, 16, 17, 18, 19]);
  });
});
