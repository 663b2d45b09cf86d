import type { Config } from "../config/config.ts";

/**
 * How far a first day is guarded in one respect. `tight`: as the page asks for its beginning. `loose`: less guarded,
 * which needs an observation. `unanswered`: the partner has to say it.
 */
type Guard = "tight" | "loose" | "unanswered";

/** A question of docs/first-day.md with the settings that its answer decides, and what the bridge does until then. */
type FirstDayQuestion = { question: string; settings: string; now: Guard; meanwhile: string };

type Row = Omit<FirstDayQuestion, "now"> & { now: (config: Config) => Guard };

const isTight = (tight: boolean): Guard => (tight ? "tight" : "loose");
const isAnswered = (answer: unknown): Guard =>
  answer === undefined || (Array.isArray(answer) && answer.length === 0) ? "unanswered" : "tight";

const rows: readonly Row[] = [
  {
    question: "How many accepts may be under way at once?",
    settings: "COMMANDS_MAX_IN_FLIGHT",
    now: ({ commands }) => isTight(commands.maxInFlight === 1),
    meanwhile: "1: one accept at a time, on one replica",
  },
  {
    question: "How large may the first amounts be?",
    settings: "COMMANDS_MAX_AMOUNT",
    now: ({ commands }) => isTight(commands.maxAmounts?.has("*") === true),
    meanwhile: "without it no amount is refused",
  },
  {
    question: "Do accepts stop while one is in doubt?",
    settings: "PARTNER_PAUSE_ON_DOUBT",
    now: ({ partner }) => isTight(partner.pauseOnDoubt),
    meanwhile: "true: after the first doubt, whatever its cause, none starts until people have resolved it",
  },
  {
    question: "Which 4xx of an accept prove that it was not executed?",
    settings: "PARTNER_ACCEPT_DOUBT_STATUSES",
    now: ({ partner }) => isTight(partner.doubtStatuses.includes("4xx")),
    meanwhile: "302,303,4xx: every refusal is a doubt, because a proxy may have repeated the PUT",
  },
  {
    question: "How long does the partner keep an idle connection open?",
    settings: "PARTNER_KEEP_ALIVE",
    now: ({ partner }) => isTight(partner.keepAliveMs === 0),
    meanwhile: "0: each accept has a connection of its own",
  },
  {
    question: "Who resolves a doubt?",
    settings: "CONSOLE_FOUR_EYES",
    now: ({ console: { fourEyes } }) => isTight(fourEyes),
    meanwhile: "true: two people do",
  },
  {
    question: "Whom does one ask about a doubt?",
    settings: "CONSOLE_PARTNER_CONTACT",
    now: ({ console: { partnerContact } }) => isAnswered(partnerContact),
    meanwhile: "each doubt's page leaves it open",
  },
  {
    question: "How many calls a second does the account allow?",
    settings: "PARTNER_MAX_RPS",
    now: ({ partner }) => isAnswered(partner.maxRequestsPerSecond),
    meanwhile: "no limit but PARTNER_MAX_CONNECTIONS; a 429 is tried again",
  },
  {
    question: "Where does the answer of a create name the quote?",
    settings: "PARTNER_QUOTE_ID_POINTER",
    now: ({ partner }) => isAnswered(partner.quoteIdPointer),
    meanwhile: "it is looked for; a create whose answer names none is SUCCEEDED, without a quoteId",
  },
  {
    question: "Where does the answer of an accept name the transaction?",
    settings: "PARTNER_TRANSACTION_ID_POINTER",
    now: ({ partner }) => isAnswered(partner.transactionIdPointer),
    meanwhile: "the one member transactionId, else none",
  },
  {
    question: "How does a 2xx say that it failed?",
    settings: "PARTNER_FAILED_WHEN",
    now: ({ partner }) => isAnswered(partner.failedWhen),
    meanwhile: "success false, or a non-empty error or errors, at the root",
  },
  {
    question: "Where do answers and notifications say what consumers need, such as a rate?",
    settings: "PARTNER_RESULT_FIELDS, PARTNER_EVENT_FIELDS",
    now: ({ partner }) => isAnswered([...partner.resultFields, ...partner.eventFields]),
    meanwhile: "`fields` is empty; `response` and `payload` hold all",
  },
  {
    question: "Where does the log hold its entries, and an entry its notification?",
    settings: "PARTNER_LOG_ENTRIES_POINTER, PARTNER_LOG_NOTIFICATION_POINTER",
    now: ({ partner }) => isAnswered(partner.logEntriesPointer ?? partner.logNotificationPointer),
    meanwhile: "they are looked for; what is not understood is counted and never published",
  },
  {
    question: "How does the log say that there is more?",
    settings: "PARTNER_LOG_MORE_POINTERS, PARTNER_LOG_TOTAL_POINTERS",
    now: ({ partner }) => isAnswered(partner.logMorePointers ?? partner.logTotalPointers),
    meanwhile: "any member beside the entries makes a run incomplete",
  },
  {
    question: "How are webhooks signed?",
    settings: "WEBHOOK_AUTH",
    now: ({ webhook }) => (webhook.auth === undefined ? "unanswered" : isTight(webhook.auth !== "none")),
    meanwhile: "with none anybody can write events",
  },
];

/** The questions to the partner, each with how far the settings of now guard against what its answer may be. */
export const firstDayQuestions = (config: Config): FirstDayQuestion[] =>
  rows.map(({ now, ...row }) => ({ ...row, now: now(config) }));
