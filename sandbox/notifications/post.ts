export type PostResult = { httpStatus: number; error: null } | { httpStatus: null; error: string };

export type Post = (url: string, body: string) => Promise<PostResult>;

/** `fetch` says in the cause of its error what failed. */
const reasonOf = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error);
  if (error.cause !== undefined) return reasonOf(error.cause);
  return "code" in error ? String(error.code) : error.message;
};

/** Posts a notification. Never rejects: the result holds the error. Does not follow redirects. */
export const postWithin =
  (timeoutMs: number, closed: AbortSignal): Post =>
  async (url, body) => {
    const timeout = AbortSignal.timeout(timeoutMs);
    try {
      const response = await fetch(url, {
        method: "POST",
        headers: { "content-type": "application/json", "user-agent": "partner-sandbox" },
        body,
        redirect: "manual",
        signal: AbortSignal.any([timeout, closed]),
      });
      await response.arrayBuffer();
      return { httpStatus: response.status, error: null };
    } catch (error) {
      const reason = timeout.aborted ? `no answer within ${timeoutMs} ms` : reasonOf(error);
      return { httpStatus: null, error: reason };
    }
  };
