import { createHeaderCheck } from "./api/check-headers.ts";
import { createPartner } from "./api/partner.ts";
import { createReaders } from "./api/read-requests.ts";
import { createPartnerServer } from "./api/serve-partner.ts";
import { control, controlPrefix } from "./control/control.ts";
import { createPoster } from "./notifications/post.ts";
import { settingsFrom, type SandboxOptions } from "./options.ts";
import { isPage, servePage } from "./page/serve-page.ts";
import { write } from "./runtime/answer.ts";
import { createCalendar } from "./runtime/calendar.ts";
import { listen } from "./runtime/listen.ts";
import { tellStory } from "./tell-story.ts";
import { createWorld } from "./world.ts";

export type Sandbox = {
  /** Where it listens, without a slash at the end: the partner's base URL. */
  url: string;
  /** The seed of this run; given again, it gives the same run. */
  seed: string;
  /** The quotes that the story made, if there is one. */
  storyQuoteIds: readonly string[];
  /** Ends everything, open connections included. */
  close: () => Promise<void>;
};

/**
 * Starts the partner's stand-in. Resolves when it listens; rejects with a RangeError for a wrong option, and with the
 * system's error when the port cannot be had.
 */
export const startSandbox = async (options: SandboxOptions = {}): Promise<Sandbox> => {
  const settings = settingsFrom(options);
  const poster = createPoster(settings.attemptTimeoutMs);
  const world = createWorld(settings, {
    poster,
    days: { "sao-paulo": createCalendar("America/Sao_Paulo"), utc: createCalendar("UTC") },
  });
  const partner = createPartner({
    ...world,
    checkHeaders: createHeaderCheck(settings),
    readers: createReaders(settings),
  });
  const servePartner = createPartnerServer({ ...world, partner });

  const listener = await listen(settings.host, settings.port, (incoming, response, body) => {
    const target = incoming.url ?? "/";
    if (isPage(incoming.method, target)) return servePage(world, target, response);
    if (!target.startsWith(controlPrefix)) return servePartner(incoming, response, body);
    return write(response, control(world, incoming.method ?? "GET", target, body));
  });

  const storyQuoteIds = settings.story === null ? [] : tellStory(world, settings.story);

  return {
    storyQuoteIds,
    url: listener.url,
    seed: settings.seed,
    close: async () => {
      world.close();
      await listener.close();
      poster.close();
    },
  };
};
