import { createHash, randomUUID } from "node:crypto";
import { Agent, request } from "node:http";

export type Answer = { status: number; ms: number; at: number; eventId: string; transactionId: string };

/** There are too many answers for the arguments of one call. */
export const slowestOf = (answers: readonly Answer[]): number =>
  answers.reduce((slowest, { ms }) => Math.max(slowest, ms), 0);

/** The time that 99 of a hundred do not exceed. */
export const p99 = (timesMs: readonly number[]): number =>
  timesMs.toSorted((a, b) => a - b)[Math.floor(timesMs.length * 0.99)] ?? Infinity;

const postOnce = (agent: Agent, url: string, body: string): Promise<number> =>
  new Promise((resolve) => {
    const call = request(
      url,
      { method: "POST", agent, headers: { "content-length": body.length } },
      (response) => {
        response.resume();
        response.on("end", () => resolve(response.statusCode ?? 0));
      },
    );
    // No answer: the process has ended, or has closed the connection.
    call.on("error", () => resolve(0));
    call.end(body);
  });

/** Posts notifications, each of a new transaction, until it is stopped. Keeps every answer. */
export const startWebhookLoad = (url: string, connections: number) => {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const answers: Answer[] = [];
  let stopped = false;

  const keepPosting = async (): Promise<void> => {
    while (!stopped) {
      const [transactionId, status, createdAt] = [randomUUID(), "AWAITING_PAYMENT", new Date().toISOString()];
      const id = createHash("sha256")
        .update(`${transactionId}\n${status}\n${createdAt}`)
        .digest("hex")
        .slice(0, 32);
      const at = Date.now();
      const code = await postOnce(agent, url, JSON.stringify({ transactionId, status, createdAt }));
      answers.push({ status: code, ms: Date.now() - at, at, eventId: id, transactionId });
      if (code !== 200) await new Promise((resolve) => setTimeout(resolve, 50));
    }
  };
  const posting = Promise.all(Array.from({ length: connections }, keepPosting));

  return {
    answers,
    /** The answers to requests that were sent at an instant or later. */
    since: (at: number): Answer[] => answers.filter((answer) => answer.at >= at),
    stop: async (): Promise<Answer[]> => {
      stopped = true;
      await posting;
      agent.destroy();
      return answers;
    },
  };
};
