import type { Config } from "../config/config.ts";
import { createPartner, type Partner } from "./client.ts";
import { ownSecrets } from "../config/own-secrets.ts";
import type { Clock } from "../runtime/clock.ts";

/** The flow reconcile makes one request for the log at a time. */
const LOG_CONNECTIONS = 1;

/** The partner client of this configuration. Credentials and proxy are read anew for each call. */
export const openPartner = (config: Config, { clock }: { clock: Clock }): Partner => {
  const { partner, bridge } = config;
  const { accessToken, xToken, proxyUrl } = partner;
  return createPartner({
    ...partner,
    clock,
    baseUrl: new URL(partner.baseUrl ?? ""),
    credentials: {
      current: () => ({ accessToken: accessToken?.reveal() ?? "", xToken: xToken?.reveal() ?? "" }),
      reload: () => {
        accessToken?.reload();
        xToken?.reload();
      },
    },
    userAgent: `${partner.name ?? ""}-${partner.serviceName}`,
    tls: { ca: partner.tlsCa, cert: partner.tlsCert, key: partner.tlsKey?.reveal() },
    proxy: proxyUrl ? () => new URL(proxyUrl.reveal()) : null,
    maxConnections: partner.maxConnections - (bridge.flows.includes("reconcile") ? LOG_CONNECTIONS : 0),
    secrets: ownSecrets(config),
  });
};
