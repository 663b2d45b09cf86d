import { expect, it } from "vitest";
import { connectRegistry } from "../../../../src/kafka/schema/registry.ts";
import { readSchema } from "../../../../src/kafka/schema/schemas.ts";
import { SignInError } from "../../../../src/kafka/sign-in/sign-in-error.ts";
import { DeadlineError, systemClock, type Clock } from "../../../../src/runtime/clock.ts";
import { messageOf } from "../../../../src/runtime/errors.ts";
import { TEST_CERT, TEST_KEY } from "../../partner/tls-material.ts";
import { notFound, startFakeRegistry, type Answer } from "./fake-registry.ts";

const SCHEMA = readSchema("command");
const ours = JSON.stringify(SCHEMA.json);

type Routes = Record<string, Answer | "hang" | "reset">;
const UNKNOWN = notFound(40403);

/** A client of a registry with these answers, by method and path; everything else is unknown to it. */
const connected = async (routes: Routes, over: { url?: string; clock?: Clock } = {}) => {
  const { url, asked } = await startFakeRegistry(
    ({ method, path }) => routes[`${method} ${path}`] ?? UNKNOWN,
  );
  const options = { url: over.url ?? url, auth: null, ca: undefined };
  return { registry: connectRegistry(options, over.clock ?? systemClock), asked, url };
};

const ok = (body: unknown): Answer => ({ status: 200, body });

it("gives the schema of an id, and null where the registry says that there is none", async () => {
  const { registry } = await connected({ "GET /schemas/ids/7": ok({ schema: ours }) });
  expect(await registry.writer(7)).toBe(ours);
  expect(await registry.writer(8)).toBeNull();
});

it.each<[string, Answer | "reset"]>([
  ["a proxy's 404", { status: 404, body: "<html>no upstream</html>" }],
  ["a 401", { status: 401, body: { error_code: 401, message: "Unauthorized" } }],
  ["a redirect", { status: 302, body: "" }],
  ["a 200 that is not JSON", ok("<html>sign in</html>")],
  ["a 200 without a schema", ok({})],
  ["a reset", "reset"],
])("does not take %s for an unknown schema", async (_, answer) => {
  const { registry } = await connected({ "GET /schemas/ids/7": answer });
  await expect(registry.writer(7)).rejects.toThrow("the schema registry");
});

it("times a request out, and sends the next one", async () => {
  const routes: Routes = { "GET /schemas/ids/7": "hang" };
  let requests = 0;
  const impatientOnce: Clock = {
    ...systemClock,
    withDeadline: (ms, signal, work) => systemClock.withDeadline(requests++ === 0 ? 100 : ms, signal, work),
  };
  const { registry } = await connected(routes, { clock: impatientOnce });
  await expect(registry.writer(7)).rejects.toSatisfy(({ cause }: Error) => cause instanceof DeadlineError);
  routes["GET /schemas/ids/7"] = ok({ schema: ours });
  expect(await registry.writer(7)).toBe(ours);
});

it("aborts an endless answer", async () => {
  const { registry } = await connected({ "GET /schemas/ids/7": ok({ schema: "x".repeat(5_000_000) }) });
  await expect(registry.writer(7)).rejects.toThrow("does not answer");
});

it("finds a registered schema by a normalized look-up", async () => {
  const { registry, asked } = await connected({ "POST /subjects/a%2Fb-value?normalize=true": ok({ id: 3 }) });
  expect(await registry.find("a/b-value", SCHEMA)).toBe(3);
  expect(asked).toMatchObject([{ body: { schema: ours } }]);
});

const latest = (schema: unknown): Routes => ({
  "GET /subjects/s/versions/latest": ok({ id: 9, version: 1, schema: JSON.stringify(schema, null, 4) }),
});

it("finds it also when the registry does not support normalization, or has other docs", async () => {
  const { registry } = await connected(latest({ ...SCHEMA.json, doc: "in other words" }));
  expect(await registry.find("s", SCHEMA)).toBe(9);
});

it("takes a schema with other fields for a different one, and says why it cannot be read", async () => {
  const other = { type: "record", name: "Command", namespace: "cambio.bridge.v1", fields: [] };
  const { registry } = await connected(latest(other));
  expect(await registry.find("s", SCHEMA)).toBeNull();
  expect(await registry.incompatibility("s", SCHEMA)).toContain("schema 9");
  const renamed = await connected(latest({ ...SCHEMA.json, aliases: ["old"] }));
  expect(await renamed.registry.find("s", SCHEMA)).toBeNull();
  expect(await registry.find("unknown", SCHEMA)).toBeNull();
  expect(await registry.incompatibility("unknown", SCHEMA)).toBeNull();
});

it.each<[number, Answer]>([
  [404, UNKNOWN],
  [409, { status: 409, body: { error_code: 409, message: "incompatible: quoteId" } }],
])("reports the registry's reason for refusing a schema: %i", async (status, answer) => {
  const { registry } = await connected({ "POST /subjects/s/versions": answer });
  const refusal = registry.register("s", SCHEMA);
  await expect(refusal).rejects.toThrow(/\((not found|incompatible: quoteId)\)/);
  await expect(refusal).rejects.toMatchObject({ name: "RegistryError", status });
});

it("trusts the CA that it is given, and no other", async () => {
  const { url } = await startFakeRegistry(() => UNKNOWN, { cert: TEST_CERT, key: TEST_KEY });
  const trusting = connectRegistry({ url, auth: null, ca: TEST_CERT }, systemClock);
  expect(await trusting.writer(7)).toBeNull();
  const wary = connectRegistry({ url, auth: null, ca: undefined }, systemClock);
  await expect(wary.writer(7)).rejects.toThrow("self-signed certificate");
});

it("sends a token and further headers, also when registering, and reports a refused token", async () => {
  const { url, asked } = await startFakeRegistry(({ path }) =>
    path === "/schemas/ids/1"
      ? { status: 401, body: { error_code: 401, message: "no" } }
      : ok({ id: 5, version: 1, compatibilityLevel: "BACKWARD" }),
  );
  const refused: string[] = [];
  const bearer = {
    token: () => Promise.resolve("a-token"),
    refused: (token: string) => void refused.push(token),
  };
  const headers = () => ({ "x-tenant": "fx" });
  const registry = connectRegistry({ url, auth: { bearer }, headers, ca: undefined }, systemClock);
  await registry.register("a-value", SCHEMA);
  await expect(registry.writer(1)).rejects.toThrow("the schema registry answered 401 (no)");
  expect(asked.length).toBeGreaterThan(2);
  expect(new Set(asked.map(({ authorization }) => authorization))).toEqual(new Set(["Bearer a-token"]));
  expect(new Set(asked.map(({ tenant }) => tenant))).toEqual(new Set(["fx"]));
  expect(refused).toEqual(["a-token"]);
});

it.each([
  ["a password", { auth: { username: "bridge", password: () => "pass-word" } }],
  [
    "a token",
    { auth: { bearer: { token: () => Promise.resolve("opaque-token"), refused: () => undefined } } },
  ],
  ["a header", { auth: null, headers: () => ({ authorization: "Bearer opaque-token" }) }],
])("repeats nothing of %s that a registry quotes, nor what a terminal would obey", async (_, signIn) => {
  const { url } = await startFakeRegistry(({ authorization = "" }) => ({
    status: 401,
    body: {
      error_code: 401,
      message: `\u001b[2J no: ${authorization}, ${authorization.slice(7)}, pass-word, ${"x".repeat(999)}`,
    },
  }));
  const registry = connectRegistry({ url, ca: undefined, ...signIn }, systemClock);
  for (const work of [registry.writer(1), registry.register("a-value", SCHEMA)]) {
    const said = await work.then(String, messageOf);
    expect(said).toMatch(/^the schema registry answered 401 \(.* no: \[secret\], /);
    // eslint-disable-next-line no-control-regex -- that none is there is what it is about
    expect(said).not.toMatch(/[\u0000-\u001f]|opaque-token|YnJpZGdl/);
    if (signIn.auth && "password" in signIn.auth) expect(said).not.toContain("pass-word");
    expect(said.length).toBeLessThan(500);
  }
});

it("names the token source when it has no token", async () => {
  const token = () => Promise.reject(new SignInError("the token endpoint: away"));
  const auth = { bearer: { token, refused: () => undefined } };
  const registry = connectRegistry({ url: "http://127.0.0.1:1", auth, ca: undefined }, systemClock);
  await expect(registry.writer(1)).rejects.toThrow("registry cannot be asked: the token endpoint: away");
});
