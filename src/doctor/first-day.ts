import type { Config } from "../config/config.ts";
import type { Environment } from "../config/load.ts";

/** `isTight` is undefined where the question is not answered; without `isTight` any value is the partner's answer. */
type Question = { question: string; meanwhile: string; isTight?: (config: Config) => boolean | undefined };

const QUESTIONS: Readonly<Record<string, Question>> = {
  COMMANDS_MAX_IN_FLIGHT: {
    question: "How many accepts may be under way at once?",
    meanwhile: "1: one accept at a time, on one replica",
    isTight: ({ commands }) => commands.maxInFlight === 1,
  },
  COMMANDS_MAX_AMOUNT: {
    question: "How large may the first amounts be?",
    meanwhile: "without it no amount is refused",
    isTight: ({ commands }) => commands.maxAmounts?.has("*") === true,
  },
  PARTNER_PAUSE_ON_DOUBT: {
    question: "Do accepts stop while one is in doubt?",
    meanwhile: "true: after the first doubt, whatever its cause, none starts until people have resolved it",
    isTight: ({ partner }) => partner.pauseOnDoubt,
  },
  PARTNER_ACCEPT_DOUBT_STATUSES: {
    question: "Which 4xx of an accept prove that it was not executed?",
    meanwhile: "302,303,4xx: every refusal is a doubt, because a proxy may have repeated the PUT",
    isTight: ({ partner }) => partner.doubtStatuses.includes("4xx"),
  },
  PARTNER_KEEP_ALIVE: {
    question: "How long does the partner keep an idle connection open?",
    meanwhile: "0: each accept has a connection of its own",
    isTight: ({ partner }) => partner.keepAliveMs === 0,
  },
  CONSOLE_FOUR_EYES: {
    question: "Who resolves a doubt?",
    meanwhile: "true: two people do",
    isTight: ({ console: { fourEyes } }) => fourEyes,
  },
  CONSOLE_PARTNER_CONTACT: {
    question: "Whom does one ask about a doubt?",
    meanwhile: "each doubt's page leaves it open",
  },
  PARTNER_MAX_RPS: {
    question: "How many calls a second does the account allow?",
    meanwhile: "no limit but PARTNER_MAX_CONNECTIONS; a 429 is tried again",
  },
  PARTNER_QUOTE_ID_POINTER: {
    question: "Where does the answer of a create name the quote?",
    meanwhile: "it is looked for; a create whose answer names none is SUCCEEDED, without a quoteId",
  },
  PARTNER_TRANSACTION_ID_POINTER: {
    question: "Where does the answer of an accept name the transaction?",
    meanwhile: "the one member transactionId, else none",
  },
  PARTNER_FAILED_WHEN: {
    question: "How does a 2xx say that it failed?",
    meanwhile: "success false, or a non-empty error or errors, at the root",
  },
  "PARTNER_RESULT_FIELDS, PARTNER_EVENT_FIELDS": {
    question: "Where do answers and notifications say what consumers need, such as a rate?",
    meanwhile: "`fields` is empty; `response` and `payload` hold all",
  },
  "PARTNER_LOG_ENTRIES_POINTER, PARTNER_LOG_NOTIFICATION_POINTER": {
    question: "Where does the log hold its entries, and an entry its notification?",
    meanwhile: "they are looked for; what is not understood is counted and never published",
  },
  "PARTNER_LOG_MORE_POINTERS, PARTNER_LOG_TOTAL_POINTERS": {
    question: "How does the log say that there is more?",
    meanwhile: "any member beside the entries makes a run incomplete",
  },
  WEBHOOK_AUTH: {
    question: "How are webhooks signed?",
    meanwhile: "with none anybody can write events",
    isTight: ({ webhook }) => webhook.auth && webhook.auth !== "none",
  },
};

const guardOf = (isTight: boolean | undefined): "tight" | "loose" | "unanswered" => {
  if (isTight === undefined) return "unanswered";
  return isTight ? "tight" : "loose";
};

export const firstDayQuestions = (config: Config, env: Environment) =>
  Object.entries(QUESTIONS).map(([settings, { question, meanwhile, isTight }]) => {
    const isSet = settings.split(", ").some((name) => (env[name] ?? "") !== "");
    const guard = guardOf(isTight ? isTight(config) : isSet || undefined);
    return { question, settings, now: guard, meanwhile };
  });
