import { X509Certificate } from "node:crypto";
import type { Reading } from "../config/load.ts";
import type { Clock } from "../runtime/clock.ts";
import { pem } from "../services/pem.ts";
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

/** Tokens that are written as they stand in a header, which the other side refuses. */
const tokens = ({ config: { partner, registry } }: Reading): Check[] =>
  (
    [
      ["PARTNER_ACCESS_TOKEN", partner.accessToken],
      ["PARTNER_X_TOKEN", partner.xToken],
      ["SCHEMA_REGISTRY_TOKEN", registry.token],
    ] as const
  ).flatMap(([variable, secret]) => {
    const text = secret?.reveal().trim() ?? "";
    return /^bearer\s/i.test(text)
      ? [warn(variable, 'begins with "Bearer ", which is no part of a token', "leave that word out")]
      : [];
  });

/** With TLS there is something in front, whose address the bridge sees in place of the partner's. */
const proxyNotTrusted = ({ config: { bridge, webhook } }: Reading): Check[] => {
  const { allowedCidrs, trustedProxyCidrs, publicUrl } = webhook;
  const isProxied = bridge.flows.includes("webhooks") && publicUrl?.startsWith("https:") === true;
  return isProxied && allowedCidrs.length > 0 && trustedProxyCidrs.length === 0
    ? [
        warn(
          "WEBHOOK_TRUSTED_PROXY_CIDRS",
          "is empty, but WEBHOOK_PUBLIC_URL is https and WEBHOOK_ALLOWED_CIDRS is set: what ends TLS in front is taken for the sender, and every webhook refused by its address",
          "name the proxy's addresses",
        ),
      ]
    : [];
};

/** Every problem and warning of the settings. */
export const checkSettings = (reading: Reading, clock: Clock): Check[] => {
  const problems = [
    ...reading.problems.map(({ variable, message }) => fail(variable, message.replace(/\.$/, ""), CORRECT)),
    ...reading.warnings.map(({ variable, message }) => warn(variable, message, CORRECT)),
    ...certificates(reading, clock),
    ...tokens(reading),
    ...proxyNotTrusted(reading),
  ];
  return problems.length > 0 ? problems : [ok("settings", "nothing is wrong with them")];
};
