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

  let message = "";
  // The deadline may also end a command while its next claim is being written: then the result says that instead.
  for (let sends = 0; sends < 3 && !message.includes("refused"); sends += 1) {
    const { code, out } = await world.run(
      `send accept-quote --quote-id q-${sends} --counterparty-id cp-1 --wait`.split(" "),
    );
    expect(code).toBe(3);
    const result = JSON.parse(out) as { error: { message: string } };
    expect(result).toMatchObject({
      outcome: "FAILED",
      final: true,
      attempts: 0,
      error: { code: "PARTNER_UNAVAILABLE" },
    });
    ({ message } = result.error);
  }
  expect(message).toContain("the partner refused the TLS client certificate");
  expect(called).toEqual([]);
});
