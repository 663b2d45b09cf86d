import { createSign, generateKeyPairSync, randomUUID, type KeyObject } from "node:crypto";
import { createServer } from "node:http";
import { listen } from "./listen.ts";

export const CLIENT = { id: "bridge", secret: "client-secret-of-the-test" };

type Key = { kid: string; privateKey: KeyObject; jwk: object };

const newKey = (): Key => {
  const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const kid = randomUUID();
  return { kid, privateKey, jwk: { ...publicKey.export({ format: "jwk" }), kid, use: "sig", alg: "RS256" } };
};

const encoded = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64url");

/** How the endpoint answers; can be changed at any time. */
export type Behaviour = { audience: string; lifeS: number; down: boolean };

/**
 * An OAuth authorization server with the client credentials grant and a JWKS endpoint for brokers. Shares no
 * code with the bridge.
 */
export const startTokenEndpoint = async () => {
  const behaviour: Behaviour = { audience: "kafka", lifeS: 20, down: false };
  let key = newKey();
  let published = [key];
  let given = 0;

  const token = (): string => {
    const nowS = Math.floor(Date.now() / 1_000);
    const claims = {
      iss: "test",
      sub: CLIENT.id,
      aud: behaviour.audience,
      iat: nowS,
      exp: nowS + behaviour.lifeS,
    };
    const signed = `${encoded({ alg: "RS256", typ: "JWT", kid: key.kid })}.${encoded({ ...claims, jti: randomUUID() })}`;
    return `${signed}.${createSign("RSA-SHA256").update(signed).sign(key.privateKey, "base64url")}`;
  };

  const server = createServer((request, response) => {
    request.resume().on("end", () => {
      const answer = (status: number, value: object): void => {
        response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(value));
      };
      if (request.url === "/jwks") {
        answer(200, { keys: published.map(({ jwk }) => jwk) });
        return;
      }
      if (behaviour.down) return void request.socket.destroy();
      const basic = `Basic ${Buffer.from(`${CLIENT.id}:${CLIENT.secret}`).toString("base64")}`;
      if (request.headers.authorization !== basic) {
        answer(401, { error: "invalid_client" });
        return;
      }
      given += 1;
      answer(200, { access_token: token(), token_type: "Bearer", expires_in: behaviour.lifeS });
    });
  });
  const url = `http://${await listen(server)}`;

  return {
    url: `${url}/token`,
    jwksUrl: `${url}/jwks`,
    behaviour,
    /** How many tokens it has given. */
    given: (): number => given,
    /** Publishes a second key, which does not sign yet. */
    publishNextKey: (): void => void (published = [key, newKey()]),
    /** Signs with the newest key from now on, and removes the others. */
    useNewestKey: (): void => {
      key = published.at(-1) ?? key;
      published = [key];
    },
    close: (): void => server.close().closeAllConnections(),
  };
};
