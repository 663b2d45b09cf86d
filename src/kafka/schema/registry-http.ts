import { Agent as HttpAgent } from "node:http";
import { Agent as HttpsAgent } from "node:https";
import { SchemaRegistry, SchemaType, type COMPATIBILITY } from "@kafkajs/confluent-schema-registry";
import { Agent, request } from "undici";
import { messageOf } from "../../runtime/errors.ts";
import type { Clock } from "../../runtime/clock.ts";
import { objectOf, parseJson } from "../../runtime/json.ts";
import { isSignInFailure, redacted } from "../sign-in/sign-in-error.ts";
import type { TokenSource } from "../sign-in/token-source.ts";
import type { Schema } from "./schemas.ts";

/** How to authenticate to the registry. Secrets are read for each request, so that rotated ones are used. */
export type RegistryAuth =
  { username: string; password: () => string } | { bearer: Pick<TokenSource, "token" | "refused"> };

export type RegistryOptions = {
  url: string;
  ca: string | undefined;
  auth: RegistryAuth | null;
  headers?: () => Headers;
};

/** The registry did not answer, refused, or did not answer like a schema registry. */
export class RegistryError extends Error {
  override readonly name = "RegistryError";
  readonly status: number | null;
  constructor(message: string, { status = null, cause }: { status?: number | null; cause?: unknown } = {}) {
    super(message, { cause });
    this.status = status;
  }
}

/** Whether something else answers at its URL: a registry refuses by other statuses, and by error codes with a 404. */
export const isStrange = (status: number): boolean => status === 404 || status < 400;

const TIMEOUT_MS = 5_000;
const MAX_ANSWER_BYTES = 4 * 1024 * 1024;
const MEDIA_TYPE = "application/vnd.schemaregistry.v1+json";
const BEARER = "Bearer ";
/** Shorter header values are not masked: they are no secrets, and would match parts of ordinary words. */
const LEAST_HEADER_SECRET = 4;

type Headers = Readonly<Record<string, string>>;

const authorization = async (auth: RegistryAuth): Promise<string> =>
  "bearer" in auth
    ? BEARER + (await auth.bearer.token())
    : `Basic ${Buffer.from(`${auth.username}:${auth.password()}`).toString("base64")}`;

const requestHeaders = async ({ auth, headers }: RegistryOptions): Promise<Headers> => ({
  ...headers?.(),
  ...(auth && { authorization: await authorization(auth) }),
});

const secretsOf = ({ auth }: RegistryOptions, sent: Headers): string[] => [
  ...Object.values(sent)
    .flatMap((value) => [value, value.slice(value.lastIndexOf(" ") + 1)])
    .filter(({ length }) => length >= LEAST_HEADER_SECRET),
  ...(auth && "password" in auth ? [auth.password()] : []),
];

/** Gives null for what the registry does not know. Any other answer that is not 2xx JSON becomes a RegistryError. */
export const askRegistry = (options: RegistryOptions, clock: Clock) => {
  const { url, ca, auth } = options;
  const base = url.replace(/\/+$/, "");
  // Keeps no connection alive: a stale one would fail a request, and requests are rare.
  const dispatcher = new Agent({
    pipelining: 0,
    maxResponseSize: MAX_ANSWER_BYTES,
    connect: { timeout: TIMEOUT_MS, ...(ca !== undefined && { ca }) },
  });
  const exchange = async (path: string, body: object | null) => {
    const sentHeaders = await requestHeaders(options);
    return clock.withDeadline(TIMEOUT_MS, undefined, async (signal) => {
      const answer = await request(`${base}${path}`, {
        dispatcher,
        method: body ? "POST" : "GET",
        headers: { accept: `${MEDIA_TYPE}, application/json`, "content-type": MEDIA_TYPE, ...sentHeaders },
        signal,
        body: body && JSON.stringify(body),
      });
      if (answer.statusCode === 401 && auth && "bearer" in auth)
        auth.bearer.refused((sentHeaders.authorization ?? "").slice(BEARER.length));
      return { status: answer.statusCode, text: await answer.body.text(), sentHeaders };
    });
  };

  return async (path: string, body: object | null = null): Promise<unknown> => {
    const { status, text, sentHeaders } = await exchange(path, body).catch((error: unknown) => {
      const failure = isSignInFailure(error) ? "cannot be asked" : "does not answer";
      throw new RegistryError(`the schema registry ${failure}: ${messageOf(error)}`, { cause: error });
    });
    const answer = parseJson(text);
    if (status >= 200 && status < 300 && answer !== null) return answer;
    const { error_code: code, message } = objectOf(answer) ?? {};
    // A 404 without an error code comes from a proxy or a wrong URL, and says nothing about schemas.
    if (status === 404 && typeof code === "number") return null;
    const hint = isStrange(status) ? ", and not as a registry does: check its URL" : "";
    const detail =
      typeof message === "string" ? ` (${redacted(message, secretsOf(options, sentHeaders))})` : "";
    throw new RegistryError(`the schema registry answered ${status}${hint}${detail}`, { status });
  };
};

const REGISTER_MS = 10_000;

/** The client library only registers: its look-ups have no time limit and take every 404 for an answer. */
export const registrar = (options: RegistryOptions, clock: Clock) => {
  const { url, ca } = options;
  const agentOptions = { timeout: REGISTER_MS, ...(ca !== undefined && { ca }) };
  return async (subject: string, schema: Schema, compatibility: COMPATIBILITY): Promise<number> => {
    const headers = await requestHeaders(options);
    const client = new SchemaRegistry({
      host: url,
      retry: { retries: 0 },
      agent: url.startsWith("https:") ? new HttpsAgent(agentOptions) : new HttpAgent(agentOptions),
      middlewares: [() => ({ prepareRequest: async (next) => (await next()).enhance({ headers }) })],
    });
    const avroSchema = { type: SchemaType.AVRO as const, schema: JSON.stringify(schema.json) };
    try {
      const { id } = await clock.withDeadline(REGISTER_MS, undefined, () =>
        // `updateConfig` would set the level of each subject that a registry, just started, does not know yet.
        client.register(avroSchema, { subject, compatibility, updateConfig: false }),
      );
      return id;
    } catch (error) {
      const status = (error as { status?: number }).status ?? null;
      // The library's error is no cause: its message is the registry's, unredacted.
      const text = messageOf(error).replace(/^Confluent_Schema_Registry - /, "");
      const reason = redacted(text, secretsOf(options, headers));
      throw new RegistryError(`the schema registry answered ${status ?? "nothing"} (${reason})`, { status });
    }
  };
};
