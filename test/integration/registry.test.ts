import { randomUUID } from "node:crypto";
import { expect, inject, it } from "vitest";
import { decoder, encoder } from "../../src/kafka/schema/codec.ts";
import { connectRegistry } from "../../src/kafka/schema/registry.ts";
import { readSchema } from "../../src/kafka/schema/schemas.ts";
import { systemClock } from "../../src/runtime/clock.ts";

const SCHEMA = readSchema("command");
const COMMAND = {
  commandId: "c-1",
  issuedAt: 1_795_262_400_000,
  expiresAt: null,
  request: {
    "cambio.bridge.v1.AcceptQuote": { quoteId: "q", counterpartyId: "cp", amount: "1.10", externalId: null },
  },
};

const connect = (path = "") =>
  connectRegistry({ url: inject("schemaRegistryUrl") + path, auth: null, ca: undefined }, systemClock);

it("registers, finds and reads schemas in a real registry", async () => {
  const registry = connect();
  const subject = `${randomUUID()}-value`;
  expect(await registry.find(subject, SCHEMA)).toBeNull();
  expect(await registry.incompatibility(subject, SCHEMA)).toBeNull();
  const id = await registry.register(subject, SCHEMA);
  expect(await registry.find(subject, SCHEMA)).toBe(id);

  const decode = decoder(SCHEMA, registry, systemClock.now);
  expect(await decode(encoder(SCHEMA, id)(COMMAND))).toEqual({ ok: true, value: COMMAND });
  expect(await decode(encoder(SCHEMA, 2_000_000_000)(COMMAND))).toMatchObject({ ok: false });
});

it("finds what somebody else registered with other white space", async () => {
  const registry = connect();
  const subject = `${randomUUID()}-value`;
  const answer = await fetch(`${inject("schemaRegistryUrl")}/subjects/${subject}/versions`, {
    method: "POST",
    headers: { "content-type": "application/vnd.schemaregistry.v1+json" },
    body: JSON.stringify({ schema: JSON.stringify(SCHEMA.json, null, 3) }),
  });
  const { id } = (await answer.json()) as { id: number };
  expect(await registry.find(subject, SCHEMA)).toBe(id);
});

it("does not take a wrong address for an empty registry", async () => {
  const registry = connect("/no/such/path");
  await expect(registry.find("s", SCHEMA)).rejects.toThrow("check its URL");
  await expect(registry.writer(1)).rejects.toThrow("check its URL");
});
