import type { Socket } from "node:net";
import { expect, test } from "vitest";
import { serve } from "../partner/hostile-server.ts";
import { EXPIRED_CERT, TEST_CERT, TEST_KEY } from "../partner/tls-material.ts";
import { examine, fileWith, httpServer } from "./faults.ts";

/** Says what a broker says to the first question, and no more. */
const greetAsKafka = (socket: Socket): void => {
  socket.once("data", (question) => {
    const answer = Buffer.alloc(8);
    answer.writeInt32BE(4, 0);
    question.copy(answer, 4, 8, 12);
    socket.write(answer);
  });
};

test("each broker of KAFKA_BROKERS has a line with what is wrong with it", async () => {
  const http = await serve({
    onConnect: (socket) => socket.once("data", () => socket.end("HTTP/1.1 400 Bad Request\r\n\r\n")),
  });
  const frozen = await serve({});
  const secured = await serve({ tls: { key: TEST_KEY, cert: TEST_CERT } });
  const closing = await serve({ onConnect: (socket) => socket.once("data", () => socket.destroy()) });
  const brokers = [http, frozen, secured, closing].map(({ port }) => `127.0.0.1:${port}`);
  const KAFKA_BROKERS = [...brokers, "127.0.0.1:1", "nobody.invalid:9092"].join(",");
  const { code, line } = await examine({ KAFKA_BROKERS });
  expect(code).toBe(1);
  const lineOf = ({ port }: { port: number }): string => line("kafka", `127.0.0.1:${port}`);
  expect(line("kafka", "nobody.invalid")).toMatch(
    /^fail the name nobody.invalid cannot be resolved.*KAFKA_BROKERS/,
  );
  expect(line("kafka", "broker 127.0.0.1:1")).toMatch(/^fail .*ECONNREFUSED.*KAFKA_BROKERS/);
  expect(lineOf(http)).toMatch(/^fail .*(Kafka port|Kafka listener)/);
  expect(lineOf(frozen)).toMatch(/^fail .*does not answer as Kafka does .*frozen/);
  expect(lineOf(secured)).toMatch(/^fail .*speaks TLS there, and we do not: set KAFKA_TLS=true/);
  expect(lineOf(closing)).toMatch(/^fail it refuses the connection or the sign-in .*client certificate/);
  expect(line("topics")).toMatch(/^warn was not checked: no broker can be asked/);
  expect(line("rights")).toMatch(/^warn was not checked: no broker can be asked/);
});

test("each failure of TLS has its own message", async () => {
  const plain = await serve({ onConnect: greetAsKafka });
  const refusing = await serve({
    onConnect: (socket) => {
      // As Kafka does with what it takes for the length of a request.
      socket.once("data", (first) => {
        if (first[0] === 0x16) socket.end();
        else socket.write(Buffer.concat([Buffer.from([0, 0, 0, 4]), first.subarray(8, 12)]));
      });
    },
  });
  const untrusted = await serve({ tls: { key: TEST_KEY, cert: TEST_CERT } });
  const KAFKA_BROKERS = [plain, refusing, untrusted].map(({ port }) => `127.0.0.1:${port}`).join(",");
  const { line } = await examine({ KAFKA_BROKERS, KAFKA_TLS: "true" });
  for (const { port } of [plain, refusing])
    expect(line("kafka", String(port))).toMatch(
      /^fail .*does not speak TLS .*KAFKA_BROKERS, or leave TLS out/,
    );
  expect(line("kafka", String(untrusted.port))).toMatch(/^fail .*CA that is not trusted.*KAFKA_TLS_CA_FILE/);
});

test("a broker's certificate that has expired, and one for another name", async () => {
  const expired = await serve({ tls: { key: TEST_KEY, cert: EXPIRED_CERT } });
  const other = await serve({ tls: { key: TEST_KEY, cert: TEST_CERT } });
  const KAFKA_BROKERS = `127.0.0.1:${expired.port},127.0.0.2:${other.port}`;
  const KAFKA_TLS_CA_FILE = fileWith(`${TEST_CERT}\n${EXPIRED_CERT}\n`);
  const { line } = await examine({ KAFKA_BROKERS, KAFKA_TLS: "true", KAFKA_TLS_CA_FILE });
  expect(line("kafka", String(expired.port))).toMatch(/^fail its certificate has expired/);
});

test("with unusable Kafka settings it is not asked, and everything else is", async () => {
  const registry = await httpServer(() => "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}");
  const { line, of } = await examine({
    KAFKA_SASL_MECHANISM: "scram-sha-256",
    KAFKA_SASL_USERNAME: "bridge",
    PARTNER_ACCESS_TOKEN: "",
    SCHEMA_REGISTRY_URL: registry.url,
  });
  expect(line("kafka")).toMatch(/^warn was not checked: KAFKA_SASL_PASSWORD cannot be used/);
  expect(of("settings").map(({ name }) => name)).toEqual(["PARTNER_ACCESS_TOKEN", "KAFKA_SASL_PASSWORD"]);
  expect(line("partner")).toMatch(/^fail .*ECONNREFUSED/);
});
