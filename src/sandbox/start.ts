import { createHeaderCheck } from "./api/check-headers.ts";
import { createPartnerApi } from "./api/partner-api.ts";
import { createReaders } from "./api/read-requests.ts";
import { createApiHandler } from "./api/handle-request.ts";
import { control, controlPrefix } from "./control/control.ts";
import { createPoster } from "./notifications/post.ts";
import { settingsFrom, type SandboxOptions } from "./options.ts";
import { isPage, servePage } from "./page/serve-page.ts";
import { sendAnswer } from "./runtime/answer.ts";
import { createCalendar } from "./runtime/calendar.ts";
import { listen } from "./runtime/listen.ts";
import { runStory } from "./run-story.ts";
import { createSimulatedPartner } from "./simulated-partner.ts";

export type Sandbox = {
  /** The base URL of the imitated API, without a trailing slash. */
  url: string;
  /** The seed of this run; with the same seed and options a run repeats. */
  seed: string;
  /** The quotes that the story created, if there is a story. */
  storyQuoteIds: readonly string[];
  /** Stops everything, open connections included. */
  close: () => Promise<void>;
};

/** How long an attempt to notify waits for the receiver's answer; real time. */
const attemptTimeoutMs = 10_000;

/**
 * Starts the sandbox. Resolves when it listens; rejects with a RangeError for an invalid option, and with the
 * system's error when it cannot listen on the port.
 */
export const startSandbox = async (options: SandboxOptions = {}): Promise<Sandbox> => {
  const settings = settingsFrom(options);
  const poster = createPoster(attemptTimeoutMs);
  const partner = createSimulatedPartner(settings, {
    poster,
    days: { "sao-paulo": createCalendar("America/Sao_Paulo"), utc: createCalendar("UTC") },
  });
  const api = createPartnerApi({
    ...partner,
    checkHeaders: createHeaderCheck(settings),
    readers: createReaders(settings),
  });
  const handleApiRequest = createApiHandler({ ...partner, api });

  const listener = await listen(settings.host, settings.port, (incoming, response, body) => {
    const target = incoming.url ?? "/";
    if (isPage(incoming.method, target)) return servePage(partner, target, response);
    if (!target.startsWith(controlPrefix)) return handleApiRequest(incoming, response, body);
    return sendAnswer(response, control(partner, incoming.method ?? "GET", target, body));
  });

  const storyQuoteIds = settings.story === null ? [] : runStory(partner, settings.story);

  return {
    storyQuoteIds,
    url: listener.url,
    seed: settings.seed,
    close: async () => {
      partner.close();
      await listener.close();
      poster.close();
    },
  };
};
