import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { sharedCluster } from "../support/cluster.ts";
import { openWorld } from "../support/world.ts";
import { EXPIRED_CERT, TEST_CERT, TEST_KEY } from "../unit/partner/tls-material.ts";

test("an accept whose client certificate the partner refuses under TLS 1.3 is FAILED, and not in doubt", async () => {
  const called: string[] = [];
  const own = { key: TEST_KEY, cert: TEST_CERT, ca: TEST_CERT };
  const partner = createServer(
    { ...own, requestCert: true, rejectUnauthorized: true, minVersion: "TLSv1.3" },
    (request, response) => {
      called.push(request.url ?? "");
      response.end("{}");
    },
  );
  partner.listen(0, "127.0.0.1");
  await once(partner, "listening");
  onTestFinished(() => void partner.close());
  const folder = await mkdtemp(join(tmpdir(), "cambio-bridge-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = async (name: string, text: string): Promise<string> => {
    await writeFile(join(folder, name), text);
    return join(folder, name);
  };
  const world = await openWorld(sharedCluster(), {
    settings: {
      FLOWS: "commands",
      COMMANDS_DEADLINE: "5s",
      PARTNER_BASE_URL: `https://127.0.0.1:${(partner.address() as AddressInfo).port}`,
      PARTNER_TLS_CA_FILE: await file("ca", TEST_CERT),
      PARTNER_TLS_CERT_FILE: await file("cert", EXPIRED_CERT),
      PARTNER_TLS_KEY_FILE: await file("key", TEST_KEY),
    },
  });
  onTestFinished(() => world.close());
  const replica = await world.startReplica();
  await replica.untilReady();

  const { code, out } = await world.run(
    "send accept-quote --quote-id q-1 --counterparty-id cp-1 --wait".split(" "),
  );
  expect(code).toBe(3);
  expect(JSON.parse(out)).toMatchObject({
    outcome: "FAILED",
    final: true,
    attempts: 0,
    error: {
      code: "PARTNER_UNAVAILABLE",
      message: expect.stringContaining("the partner refused the TLS client certificate") as string,
    },
  });
  expect(called).toEqual([]);
});
