import type { Config } from "../config/config.ts";

/** The bridge itself as the source of a CloudEvent: a URI reference. */
export const bridgeSource = ({ kafka }: Pick<Config, "kafka">): string =>
  `/cambio-bridge/${encodeURIComponent(kafka.groupId)}`;
