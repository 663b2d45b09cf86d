import { Agent, request } from "undici";
import { messageOf } from "../../runtime/errors.ts";
import type { Clock } from "../../runtime/clock.ts";

export type RegistryOptions = {
  url: string;
  /** The password is asked for with each request, so that a rotated one is used. */
  auth: { username: string; password: () => string } | null;
  /** CA certificates, PEM. */
  ca: string | undefined;
};

/**
 * Asks a schema registry over its HTTP API. Null when the registry itself says that it knows no such thing; rejects, within bounded
 * time, with whatever else came instead of an answer.
 */
export type AskRegistry = (method: "GET" | "POST" | "PUT", path: string, body?: object) => Promise<unknown>;

/** The registry could not be asked, or did not answer as one does. */
export class RegistryError extends Error {
  override readonly name = "RegistryError";
}

const TIMEOUT_MS = 5_000;
const MAX_ANSWER_BYTES = 4 * 1024 * 1024;

type Fault = { error_code?: unknown; message?: unknown };

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
};

const faultOf = (answer: unknown): Fault => (typeof answer === "object" && answer !== null ? answer : {});

export const askRegistry = ({ url, auth, ca }: RegistryOptions, clock: Clock): AskRegistry => {
  const base = url.replace(/\/+$/, "");
  // Without pipelining no connection is kept: a stale one would cost a failed question, and questions are rare.
  const dispatcher = new Agent({
    pipelining: 0,
    maxResponseSize: MAX_ANSWER_BYTES,
    connect: { timeout: TIMEOUT_MS, ...(ca !== undefined && { ca }) },
  });
  const headers = (): Record<string, string> => ({
    accept: "application/vnd.schemaregistry.v1+json, application/json",
    "content-type": "application/vnd.schemaregistry.v1+json",
    ...(auth && {
      authorization: `Basic ${Buffer.from(`${auth.username}:${auth.password()}`).toString("base64")}`,
    }),
  });

  const exchange = (method: "GET" | "POST" | "PUT", path: string, body?: object) =>
    clock.withDeadline(TIMEOUT_MS, undefined, async (signal) => {
      const answer = await request(`${base}${path}`, {
        dispatcher,
        method,
        headers: headers(),
        signal,
        ...(body && { body: JSON.stringify(body) }),
      });
      return { status: answer.statusCode, text: await answer.body.text() };
    });

  return async (method, path, body) => {
    const { status, text } = await exchange(method, path, body).catch((error: unknown) => {
      throw new RegistryError(`the schema registry does not answer: ${messageOf(error)}`, { cause: error });
    });
    const answer = parsed(text);
    if (status >= 200 && status < 300 && answer !== null) return answer;
    const { error_code: code, message } = faultOf(answer);
    // A proxy's 404, or that of a wrong path, says nothing about schemas.
    if (status === 404 && typeof code === "number") return null;
    const hint = status === 404 ? ", and not as a registry does: check its URL" : "";
    const detail = typeof message === "string" ? ` (${message.slice(0, 300)})` : "";
    throw new RegistryError(`the schema registry answered ${status}${hint}${detail}`);
  };
};
