import { createServer, type RequestListener } from "node:http";
import { describe, expect, it, onTestFinished } from "vitest";
import { clientCredentials } from "../../../../src/kafka/sign-in/client-credentials.ts";
import { SignInError } from "../../../../src/kafka/sign-in/sign-in-error.ts";
import { tokenSource, type TokenFetcher } from "../../../../src/kafka/sign-in/token-source.ts";
import { systemClock, type Clock } from "../../../../src/runtime/clock.ts";
import type { Log } from "../../../../src/runtime/log.ts";
import { eventually } from "../../../support/eventually.ts";
import { listen } from "../../../support/listen.ts";

const SECRET = "s3cret-of+the test";
const BASIC = Buffer.from("bridge:s3cret-of%2Bthe+test").toString("base64");
const QUERY = "?tenant=1";

const logged: { event: string; fields: object }[] = [];
const log = Object.fromEntries(
  ["debug", "info", "warn", "error"].map((level) => [
    level,
    (fields: object, event: string) => void logged.push({ event, fields }),
  ]),
) as unknown as Log;

/** A real endpoint that does what `handle` says, and counts. */
const endpointOf = async (handle: RequestListener) => {
  let requests = 0;
  const server = createServer((request, response) => {
    requests += 1;
    handle(request, response);
  });
  const address = await listen(server);
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { endpoint: `http://${address}/token${QUERY}`, requests: () => requests };
};

const sourceOf = (options: TokenFetcher, clock: Clock = systemClock) => {
  logged.splice(0);
  const source = tokenSource(options, { clock, log, random: () => 0.1 });
  onTestFinished(source.close);
  return source;
};

const sourceAt = (endpoint: string, scope?: string, audience?: string) => {
  const credentials = { endpoint, clientId: "bridge", clientSecret: () => SECRET, scope, audience };
  return sourceOf(clientCredentials(credentials, systemClock));
};

const json =
  (body: object, status = 200): RequestListener =>
  (_, response) =>
    void response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));

const failure = async (pending: Promise<unknown>): Promise<string> => {
  const error: unknown = await pending.catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(SignInError);
  const { message } = error as SignInError;
  for (const hidden of [SECRET, BASIC, QUERY]) expect(message + JSON.stringify(logged)).not.toContain(hidden);
  return message;
};

describe("client credentials", () => {
  it("sends an OAuth 2.0 request, one for all concurrent callers", async () => {
    let seen: unknown;
    const { endpoint, requests } = await endpointOf((request, response) => {
      let body = "";
      request.on("data", (chunk: Buffer) => (body += chunk.toString()));
      request.on("end", () => {
        const [, basic = ""] = request.headers.authorization?.split(" ") ?? [];
        seen = {
          url: request.url,
          basic: Buffer.from(basic, "base64").toString(),
          form: Object.fromEntries(new URLSearchParams(body)),
        };
        json({ access_token: "one", token_type: "Bearer", expires_in: 60 })(request, response);
      });
    });
    const source = sourceAt(endpoint, "kafka:write more", "kafka");
    expect(new Set(await Promise.all(Array.from({ length: 50 }, source.token)))).toEqual(new Set(["one"]));
    expect(requests()).toBe(1);
    expect(seen).toEqual({
      url: "/token?tenant=1",
      basic: "bridge:s3cret-of%2Bthe+test",
      form: { grant_type: "client_credentials", scope: "kafka:write more", audience: "kafka" },
    });
  });

  it.each<[string, RequestListener, RegExp]>([
    [
      "a refusal",
      json({ error: "invalid_client", error_description: `no ${SECRET}` }, 401),
      /401.*invalid_client, no \[secret\]/,
    ],
    [
      "a refusal that quotes the request",
      (request, response) => {
        const why = [request.url, request.headers.authorization].join(" ");
        json({ error: "no", error_description: why }, 400)(request, response);
      },
      /no, \/token\[secret\] Basic \[secret\]/,
    ],
    ["no JSON", (_, response) => void response.end("eyJhbGciOiJub25lIn0.e30. <html>"), /answered 200/],
    ["no token", json({ token_type: "Bearer" }), /access_token/],
    ["a token of another type", json({ access_token: "x", token_type: "DPoP" }), /type dpop/],
    [
      "a token with invalid characters",
      json({ access_token: "a\u0001b", token_type: "Bearer" }),
      /no valid token/,
    ],
    ["an expired token", json({ access_token: "x", token_type: "Bearer", expires_in: 0 }), /expired already/],
    [
      "an answer without end",
      (_, response) => {
        response.writeHead(200, { "content-type": "application/json" });
        const more = (): void => {
          if (response.write("x".repeat(65_536))) setImmediate(more);
          else response.once("drain", more);
        };
        more();
      },
      /does not answer/,
    ],
    ["a cut connection", (request) => void request.socket.destroy(), /does not answer/],
  ])("%s is said in a sentence", async (_, handle, sentence) => {
    const { endpoint } = await endpointOf(handle);
    const message = await failure(sourceAt(endpoint).token());
    expect(message).toMatch(sentence);
    expect(message).toMatch(/^the token endpoint http:/);
    expect(message).not.toContain("eyJ");
    expect(logged).toHaveLength(1);
  });

  it("does not wait long for an endpoint that does not answer", async () => {
    const { endpoint } = await endpointOf(() => undefined);
    expect(await failure(sourceAt(endpoint).token())).toMatch(/has not answered yet, after 3 s/);
  });

  it("has a token for callers that wait for a slow endpoint first", async () => {
    const { endpoint, requests } = await endpointOf((request, response) => {
      setTimeout(() => json({ access_token: "late", token_type: "Bearer" })(request, response), 3_500);
    });
    const source = sourceAt(endpoint);
    expect(await source.token(10_000)).toBe("late");
    expect(await source.token()).toBe("late");
    expect(requests()).toBe(1);
  });
});

describe("a source of tokens", () => {
  const clockAt = () => {
    let now = 0;
    return { clock: { ...systemClock, monotonic: () => now }, forward: (ms: number) => (now += ms) };
  };

  const livingFor = (lifetimeMs: number, clock?: Clock) => {
    const asked: number[] = [];
    let broken = false;
    const source = sourceOf(
      {
        what: "the endpoint",
        fetch: () => {
          asked.push(performance.now());
          return broken
            ? Promise.reject(new SignInError("it is away"))
            : Promise.resolve({ token: `token-${asked.length}`, lifetimeMs });
        },
      },
      clock,
    );
    return { source, asked, breakDown: (now: boolean) => (broken = now) };
  };

  it("renews at 0.8 of the lifetime, in the background", async () => {
    const { source, asked } = livingFor(1_000);
    expect(await source.token()).toBe("token-1");
    await eventually(() => asked.length >= 3, "two renewals");
    const [first = 0, second = 0, third = 0] = asked;
    for (const pause of [second - first, third - second]) expect(pause).toBeGreaterThan(790);
    const newest = await source.token();
    expect(newest).toBe(`token-${asked.length}`);
  });

  it("while renewal fails, gives the old token until it expires, then the reason, then the new token", async () => {
    const { clock, forward } = clockAt();
    const { source, asked, breakDown } = livingFor(700, clock);
    await source.token();
    breakDown(true);
    await eventually(() => asked.length >= 2, "a failed renewal");
    forward(699);
    expect(await source.token()).toBe("token-1");
    expect(logged).toEqual([
      { event: "kafka.token.failed", fields: { reason: "the endpoint: it is away", livesMs: 700 } },
    ]);
    forward(1);
    expect(await failure(source.token())).toBe("the endpoint: it is away");
    breakDown(false);
    await eventually(() => logged.at(-1)?.event === "kafka.token.renewed", "a new token", 10_000);
    expect(await source.token()).not.toBe("token-1");
  });

  it("sends no request after close", async () => {
    const { source, asked } = livingFor(600);
    await source.token();
    source.close();
    await new Promise((resolve) => setTimeout(resolve, 900));
    expect(asked).toHaveLength(1);
  });

  it("replaces a refused or expired token at once, but not a fresh one", async () => {
    const { clock, forward } = clockAt();
    const { source, asked } = livingFor(60_000, clock);
    expect(await source.token()).toBe("token-1");
    source.refused("token-1");
    expect(await source.token()).toBe("token-1");
    forward(6_000);
    source.refused("another");
    expect(asked).toHaveLength(1);
    source.refused("token-1");
    expect(await Promise.all([source.token(), source.token()])).toEqual(["token-2", "token-2"]);
    forward(61_000);
    expect(await source.token()).toBe("token-3");
    expect(asked).toHaveLength(3);
  });
});
