import { Socket } from "node:net";
import { describe, expect, it } from "vitest";
import { keepAlive } from "../../../../src/partner/connection/keep-alive.ts";
import { eventually } from "../../../support/eventually.ts";
import { ACCEPT, answer, free } from "../hostile-server.ts";
import { keeping, manualClock, ok, proven, REST_MS, worldOf } from "../keeping-server.ts";

const ANSWER = answer("200 OK");
const NEVER_MS = 1_000_000_000;

describe("used connections are never tried again", () => {
  it.each([
    ["an answer", ANSWER],
    ["something that is no answer", "}"],
  ])("when %s comes over an idle one", async (_, text) => {
    const { server, time, together, rested } = await proven();
    server.sockets[1]?.write(text);
    await eventually(() => server.open() === 0, "the connection to be closed");
    time.advance(NEVER_MS);
    expect([await together(1), await rested(1)]).toEqual([[2], [3]]);
    expect(time.sleepers()).toBe(0);
  });

  it.each([
    ["an answer", ANSWER],
    ["something that is no answer", "}"],
  ])("when %s comes along with an answer", async (_, text) => {
    let isOdd = true;
    const server = await keeping({
      answer: (request, response) => {
        if (isOdd) request.socket.write(ANSWER + text);
        else ok(request, response);
      },
    });
    const { time, together } = worldOf(server);
    await together(1);
    isOdd = false;
    time.advance(NEVER_MS);
    await together(1);
    expect(time.sleepers()).toBe(0);
  });

  it("when it came while there was little to do", async () => {
    let isOdd = true;
    const server = await keeping({
      answer: (request, response) => {
        if (isOdd) request.socket.write(ANSWER + ANSWER);
        else ok(request, response);
      },
    });
    const { time, together } = worldOf(server, { reuseFrom: 2 });
    await together(1);
    isOdd = false;
    await together(2);
    expect(time.sleepers()).toBe(0);
  });

  it("when what comes over it is noticed after it was chosen", async () => {
    const { server, time, together } = await proven();
    server.sockets[1]?.write(ANSWER);
    // Nobody has looked for it by now.
    expect(await together(1)).toEqual([2]);
    time.advance(NEVER_MS);
    await together(1);
    expect(time.sleepers()).toBe(0);
  });
});

describe("used connections are not tried again for ten minutes", () => {
  it("when one was answered with a 408, which may have crossed with the request", async () => {
    let isOdd = false;
    const { server, time, call, together } = await proven(
      {},
      { answer: (_, response) => void response.writeHead(isOdd ? 408 : 200).end("{}") },
    );
    isOdd = true;
    expect((await call()).kind).toBe("unknown");
    expect(server.requests.at(-1)).toBe(1);
    isOdd = false;
    time.advance(599_999);
    await together(1);
    expect(time.sleepers()).toBe(0);
    time.advance(1);
    await together(1);
    expect(time.sleepers()).toBe(1);
  });
});

describe("the longest ban counts", () => {
  const idle = () => ({ socket: new Socket(), age: () => 0, spoke: () => false });

  /** Two connections are lent, of a partner that is trusted. */
  const lentTwo = async () => {
    const time = manualClock();
    const kept = keepAlive({ clock: time.clock, told: () => undefined });
    const lend = () => {
      kept.keep(idle());
      time.advance(REST_MS);
      const lent = kept.lend(9);
      if (!lent) throw new Error("nothing was lent");
      return lent;
    };
    const first = idle();
    kept.keep(first);
    time.advance(1_000);
    await eventually(() => first.socket.destroyed, "the connection that was left alone to be closed");
    lend().ended("answered");
    const isProbed = (): boolean => {
      const one = idle();
      kept.keep(one);
      return !one.socket.destroyed;
    };
    return { time, kept, lent: [lend(), lend()] as const, isProbed };
  };

  it("and calls that are lost together count once", async () => {
    const { time, lent, isProbed } = await lentTwo();
    lent[0].ended("lost");
    lent[1].ended("lost");
    time.advance(600_000);
    expect(isProbed()).toBe(true);
  });

  it("when a call is lost, and another connection turns out to be closed", async () => {
    const { time, lent, isProbed } = await lentTwo();
    lent[0].ended("lost");
    lent[1].ended("unsent");
    time.advance(599_999);
    expect(isProbed()).toBe(false);
    time.advance(1);
    expect(isProbed()).toBe(true);
  });

  it("when nothing is to be kept any more, and a call is lost", async () => {
    const { time, kept, lent, isProbed } = await lentTwo();
    kept.close();
    lent[0].ended("lost");
    time.advance(NEVER_MS);
    expect(isProbed()).toBe(false);
  });
});

describe("a used connection", () => {
  it("is the one that has rested longest", async () => {
    const { together, rested } = await proven();
    expect(await together(2)).toEqual([1, 2]);
    const [first, second, third] = [await rested(1), await rested(1), await rested(1)];
    expect([...first, ...second].sort()).toEqual([1, 2]);
    expect(third).toEqual(first);
  });

  it("is none that was answered before its request had left in full", async () => {
    let isHasty = false;
    const { server, partner, rested } = await proven(
      {},
      {
        answer: (request, response) => {
          if (isHasty) request.pause().socket.write(ANSWER);
          else ok(request, response);
        },
      },
    );
    isHasty = true;
    const long = { ...ACCEPT, body: "x".repeat(20_000_000) };
    expect((await partner.call(long, free())).kind).toBe("executed");
    isHasty = false;
    expect([server.requests.at(-1), await rested(1)]).toEqual([1, [2]]);
  });

  it("need not rest where a new one would be one too many", async () => {
    const { together } = await proven({ maxConnections: 1 });
    expect([await together(1), await together(1)]).toEqual([[1], [1]]);
  });
});
