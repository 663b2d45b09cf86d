import { X509Certificate } from "node:crypto";
import type { Reading } from "../config/load.ts";
import type { Clock } from "../runtime/clock.ts";
import { pem } from "../bridge/pem.ts";
import { fail, ok, warn, type Check } from "./check.ts";
import { expiresSoon } from "./connection.ts";

const CORRECT = "correct it, and see `cambio-bridge config`";

/** The expiry of our own client certificates. */
const certificates = ({ config: { kafka, partner } }: Reading, clock: Clock): Check[] =>
  (
    [
      ["KAFKA_TLS_CERT_FILE", kafka.tlsCertFile],
      ["PARTNER_TLS_CERT_FILE", partner.tlsCertFile],
    ] as const
  ).flatMap(([variable, file]) => {
    const text = pem(variable, file);
    if (text === undefined) return [];
    const { validTo } = new X509Certificate(text);
    const expiresMs = Date.parse(validTo);
    const soon = expiresSoon(expiresMs, clock);
    if (soon === null) return [];
    return expiresMs < clock.now()
      ? [fail(variable, `our client certificate has expired, on ${validTo}`, "have it renewed")]
      : [warn(variable, soon, "have it renewed")];
  });

/** Every problem and warning of the settings. */
export const checkSettings = (reading: Reading, clock: Clock): Check[] => {
  const problems = [
    ...reading.problems.map(({ variable, message }) => fail(variable, message.replace(/\.$/, ""), CORRECT)),
    ...reading.warnings.map(({ variable, message }) => warn(variable, message, CORRECT)),
    ...certificates(reading, clock),
  ];
  return problems.length > 0 ? problems : [ok("settings", "nothing is wrong with them")];
};
