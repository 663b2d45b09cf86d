import { randomUUID } from "node:crypto";
import { expect, inject, it } from "vitest";
import { connectRegistry } from "../../src/kafka/schema/registry.ts";
import { readSchema } from "../../src/kafka/schema/schemas.ts";
import { systemClock } from "../../src/runtime/clock.ts";

it("finds what somebody else registered with other white space", async () => {
  const schema = readSchema("command");
  const url = inject("schemaRegistryUrl");
  const registry = connectRegistry({ url, auth: null, ca: undefined }, systemClock);
  const subject = `${randomUUID()}-value`;
  const answer = await fetch(`${url}/subjects/${subject}/versions`, {
    method: "POST",
    headers: { "content-type": "application/vnd.schemaregistry.v1+json" },
    body: JSON.stringify({ schema: JSON.stringify(schema.json, null, 3) }),
  });
  const { id } = (await answer.json()) as { id: number };
  expect(await registry.find(subject, schema)).toBe(id);
});
