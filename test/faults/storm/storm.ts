import { setTimeout as sleep } from "node:timers/promises";
import { correctTally, type AcceptTally } from "../../support/accept-tally.ts";
import { sendAccepts } from "../../support/accepts.ts";
import { openCommandsWorld } from "../../support/commands-world.ts";
import { eventually } from "../../support/eventually.ts";
import type { Cluster } from "../../support/settings.ts";
import { followClaims } from "./open-claims.ts";
import { faultKinds, striker, type Fault } from "./strike.ts";

export type StormOptions = {
  accepts: number;
  kills: number;
  freezes: number;
  replicas: number;
  inFlight: number;
  partnerMs: number;
};

export type StormReport = {
  account: AcceptTally;
  faults: (Fault & { openClaims: number })[];
  /** Commands that were in doubt at some time. */
  doubted: number;
  /** Commands in doubt whose claim was not open at any fault: each would be a doubt without a reason. */
  needlessDoubts: string[];
  neverBack: string[];
  seconds: number;
};

/** So many commands wait at most: they must not grow too old to be executed. */
const MAX_BACKLOG = 2_000;
const PORTION = 500;
const SETTLE_MS = 300_000;
/** No progress for so long: the storm is over, and the account will say what is missing. */
const STUCK_MS = 180_000;

/** What is wrong, in words; empty when every promise was kept. */
export const violations = ({ account, needlessDoubts, neverBack }: StormReport): string[] => {
  const wrong = Object.entries(correctTally(account.sent))
    .filter(([name, right]) => JSON.stringify(account[name as keyof AcceptTally]) !== JSON.stringify(right))
    .map(([name]) => name);
  if (needlessDoubts.length > 0) wrong.push("doubts without a fault");
  if (neverBack.length > 0) wrong.push("replicas that did not come back");
  return wrong;
};

/** Accepts through replicas that are killed and frozen, the faults spread evenly over the accepts. */
export const storm = async (
  cluster: Cluster,
  options: StormOptions,
  say: (line: string) => void,
): Promise<StormReport> => {
  const { accepts: count, inFlight, partnerMs } = options;
  const { world, replicas } = await openCommandsWorld({
    cluster,
    settings: {
      COMMANDS_MAX_IN_FLIGHT: String(inFlight),
      PARTNER_MAX_CONNECTIONS: String(inFlight),
      LOG_LEVEL: "warn",
    },
    replicas: options.replicas,
    partnerMs,
  });
  try {
    const claims = await followClaims(world);
    const books = await sendAccepts(world);
    const startedAt = Date.now();
    const over = new AbortController();

    const sending = (async () => {
      while (books.sent() < count && !over.signal.aborted) {
        if (books.sent() - books.answered() > MAX_BACKLOG) await sleep(20);
        else await books.send(Math.min(PORTION, count - books.sent()));
      }
    })();

    const { faults, neverBack, strike, allBack } = striker(world, replicas);
    const kinds = faultKinds(options.kills, options.freezes);
    for (const [nth, kind] of kinds.entries()) {
      const due = ((nth + 0.5) * count) / kinds.length;
      await eventually(() => books.answered() >= due, `${due} answers`, STUCK_MS);
      const { replica } = await strike(kind);
      const seconds = Math.round((Date.now() - startedAt) / 1_000);
      say(`${seconds}s  ${books.answered()} answered  ${kind} of ${replica} (${nth + 1}/${kinds.length})`);
    }
    await eventually(() => books.sent() >= count, "all to be sent", STUCK_MS).catch(() => over.abort());
    await sending;
    await allBack();
    const account = await books.settle(SETTLE_MS);
    const seconds = (Date.now() - startedAt) / 1_000;

    const inDoubt = [...books.results]
      .filter(([, list]) => list.some(({ outcome }) => outcome === "IN_DOUBT"))
      .map(([commandId]) => commandId);
    const instants = faults.map(({ at }) => at);
    return {
      account,
      faults: faults.map((fault) => ({ ...fault, openClaims: claims.openAt(fault.at) })),
      doubted: inDoubt.length,
      needlessDoubts: claims.notOpenAt(instants, inDoubt),
      neverBack,
      seconds,
    };
  } finally {
    await world.close();
  }
};
