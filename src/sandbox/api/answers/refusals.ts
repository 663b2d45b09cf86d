/** Why a request is refused. */
export type RefusalCode =
  | "UNAUTHORIZED"
  | "INVALID_HEADER"
  | "UNSUPPORTED_MEDIA_TYPE"
  | "NOT_ACCEPTABLE"
  | "INVALID_REQUEST"
  | "BODY_TOO_LARGE"
  | "QUOTE_NOT_FOUND"
  | "QUOTE_ALREADY_ACCEPTED"
  | "QUOTE_EXPIRED"
  | "QUOTE_NOT_OF_TODAY"
  | "NOT_FOUND"
  | "METHOD_NOT_ALLOWED"
  | "TOO_MANY_REQUESTS"
  | "FAULT";

export type Refusal = {
  code: RefusalCode;
  message: string;
  /** Set by a fault; otherwise it follows from the code. */
  status?: number;
  headers?: Record<string, string>;
};

const statuses: Record<RefusalCode, number> = {
  UNAUTHORIZED: 401,
  INVALID_HEADER: 400,
  UNSUPPORTED_MEDIA_TYPE: 415,
  NOT_ACCEPTABLE: 406,
  INVALID_REQUEST: 400,
  BODY_TOO_LARGE: 413,
  QUOTE_NOT_FOUND: 404,
  QUOTE_ALREADY_ACCEPTED: 409,
  QUOTE_EXPIRED: 422,
  QUOTE_NOT_OF_TODAY: 422,
  NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  TOO_MANY_REQUESTS: 429,
  FAULT: 500,
};

/**
 * The status of a refusal. `preferred` holds the statuses in which a profile differs from the default ones.
 */
export const statusOf = (refusal: Refusal, preferred: Partial<Record<RefusalCode, number>> = {}): number =>
  refusal.status ?? preferred[refusal.code] ?? statuses[refusal.code];
