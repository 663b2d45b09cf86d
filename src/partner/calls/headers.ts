export type Credentials = { accessToken: string; xToken: string };

/** The partner's five headers, in its own spelling. */
export const headersOf = ({ accessToken, xToken }: Credentials, userAgent: string): string[] => [
  ...["Authorization", `Bearer ${accessToken}`],
  ...["x-token", xToken],
  ...["Content-Type", "application/json"],
  ...["accept", "application/json"],
  ...["User-Agent", userAgent],
];
