import type { Mask } from "./mask.ts";

export type Credentials = { accessToken: string; xToken: string };

/** What every call of the partner is made with. */
export type Caller = {
  /** Comes before the path of every request. */
  basePath: string;
  /** Where the credentials come from. `reload` reads them again, after the partner refused them. Neither throws. */
  credentials: { current: () => Credentials; reload: () => void };
  /** `<partner_name>-<service_name>` */
  userAgent: string;
  /** Hides these credentials, and every other secret, in what is kept of an answer. */
  maskOf: (used: Credentials) => Mask;
};

/** The partner's five headers, in its own spelling. */
export const headersOf = ({ accessToken, xToken }: Credentials, userAgent: string): string[] => [
  ...["Authorization", `Bearer ${accessToken}`],
  ...["x-token", xToken],
  ...["Content-Type", "application/json"],
  ...["accept", "application/json"],
  ...["User-Agent", userAgent],
];
