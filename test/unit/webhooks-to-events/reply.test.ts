import type { ServerResponse } from "node:http";
import { expect, test } from "vitest";
import { replier } from "../../../src/webhooks-to-events/reply.ts";

/** Responses that note in one list what is done to them. */
const desk = () => {
  const done: string[] = [];
  const response = (name: string, isBroken = false): ServerResponse => {
    const self = {
      writeHead: (status: number) => {
        if (isBroken) throw new Error("headers are sent already");
        done.push(`${name} ${status}`);
        return self;
      },
      end: (body: string) => done.push(`${name} ${body}`),
      destroy: () => done.push(`${name} destroyed`),
    };
    return self as unknown as ServerResponse;
  };
  return { done, response };
};

test("what is answered in the same instant is written together, after what else is done in it", async () => {
  const { done, response } = desk();
  const send = replier();
  let hearOfIt: () => void = () => undefined;
  const known = new Promise<void>((resolve) => (hearOfIt = resolve));
  const all = ["a", "b", "c"].map(async (name) => {
    await known;
    send(response(name), { status: 200, body: "ok" });
    done.push(`${name} counted`);
  });
  hearOfIt();
  await Promise.all(all);
  await Promise.resolve();
  const written = ["a 200", "a ok", "b 200", "b ok", "c 200", "c ok"];
  expect(done).toEqual(["a counted", "b counted", "c counted", ...written]);
});

test("an answer that cannot be written keeps none of the others from it, nor the next ones", async () => {
  const { done, response } = desk();
  const send = replier();
  send(response("a", true), { status: 200, body: "ok" });
  send(response("b"), { status: 200, body: "ok" });
  await Promise.resolve();
  send(response("c"), { status: 503, body: "" });
  await Promise.resolve();
  expect(done).toEqual(["a destroyed", "b 200", "b ok", "c 503", "c "]);
});
