import { createApiHandler } from "./api/handle-request.ts";
import { control, controlPrefix } from "./control/control.ts";
import { postWithin } from "./notifications/post.ts";
import { settingsFrom, type SandboxOptions } from "./options.ts";
import { createPartner } from "./partner.ts";
import { sendAnswer } from "./runtime/answer.ts";
import { listen } from "./runtime/listen.ts";

/** How long an attempt to notify waits for the receiver's answer; real time. */
const attemptTimeoutMs = 10_000;

/** Starts the sandbox. Resolves when it listens; rejects with the system's error when it cannot listen on the port. */
export const startSandbox = async (options: SandboxOptions = {}) => {
  const settings = settingsFrom(options);
  const closed = new AbortController();
  const partner = createPartner(settings, postWithin(attemptTimeoutMs, closed.signal));
  const handleApiRequest = createApiHandler(settings, partner);
  const listener = await listen(settings.host, settings.port, async (incoming, response, body) => {
    const { url = "/", method = "GET" } = incoming;
    if (!url.startsWith(controlPrefix)) return handleApiRequest(incoming, response, body);
    return sendAnswer(response, control(partner, method, url, body));
  });
  return {
    /** The base URL of the imitated API, without a trailing slash. */
    url: listener.url,
    /** Stops everything, open connections included. */
    close: async (): Promise<void> => {
      partner.close();
      closed.abort(new Error("the sandbox was closed"));
      await listener.close();
    },
  };
};
