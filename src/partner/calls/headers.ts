import type { Mask } from "../../runtime/mask.ts";

export type Credentials = { accessToken: string; xToken: string };

/** What every call to the partner needs. */
export type Caller = {
  /** Put before the path of every request. */
  basePath: string;
  /** `reload` reads the credentials again, after the partner refused them. Neither throws. */
  credentials: { current: () => Credentials; reload: () => void };
  /** `<partner_name>-<service_name>` */
  userAgent: string;
  /** Masks these credentials, every other secret, and `more`, in what is kept of an answer. */
  maskOf: (used: Credentials, more?: readonly string[]) => Mask;
};

/** The partner's five headers, spelled as its documentation does. */
export const headersOf = ({ accessToken, xToken }: Credentials, userAgent: string): string[] => [
  ...["Authorization", `Bearer ${accessToken}`],
  ...["x-token", xToken],
  ...["Content-Type", "application/json"],
  ...["accept", "application/json"],
  ...["User-Agent", userAgent],
];
