import type { Command } from "commander";
import { listDoubts, proposalsOf, type Doubt } from "../operate/doubts/doubts.ts";
import { factsOfDoubts, type DoubtFacts } from "../operate/doubts/facts.ts";
import type { Proposal } from "../operate/resolve/proposal.ts";
import { counted } from "../runtime/counted.ts";
import { iso } from "../runtime/instant.ts";
import { factsJson, proposalJson, proposalText } from "./doubt-lines.ts";
import { newCommand, printRows, type Io, type Row } from "./io.ts";
import { withTool } from "./tool.ts";

const COLUMNS = "since commandId quoteId externalId amount evidence claimedAt error resolvableAt".split(" ");

const jsonOf = (doubt: Doubt, facts: DoubtFacts, proposals: readonly Proposal[]): Row => {
  const { sinceMs, claimedAtMs, resolvableAtMs, ...rest } = doubt;
  return {
    since: iso(sinceMs),
    claimedAt: iso(claimedAtMs),
    resolvableAt: iso(resolvableAtMs),
    ...rest,
    requestHash: undefined,
    ...factsJson(facts),
    proposals: proposalsOf(doubt, proposals).map(proposalJson),
  };
};

/** People see only the first piece of evidence. */
const rowOf = (doubt: Doubt, facts: DoubtFacts): Row => {
  const [evidence] = facts.evidence;
  const evidenceCell = evidence && `${evidence.kind} of ${evidence.transactionId}`;
  return { ...jsonOf(doubt, facts, []), amount: facts.amount?.text, evidence: evidenceCell };
};

const list = (io: Io, { json = false }: { json?: boolean }): Promise<void> =>
  withTool(io, async (tools) => {
    const { topics, kafka } = tools.config;
    const { doubts, numbers, proposals } = await listDoubts(tools);
    const facts = await factsOfDoubts(tools, doubts);
    const rows = facts.map((each) => (json ? jsonOf(each.doubt, each, proposals) : rowOf(each.doubt, each)));
    await printRows(io, rows, { json, columns: COLUMNS });
    io.err(
      doubts.length === 0
        ? `No command is in doubt, of ${counted(numbers.commands, "command")} in ${topics.journal} of ` +
            `KAFKA_BROKERS (${kafka.brokers.join(",")}).`
        : `${counted(doubts.length, "command")} in doubt. Find out from the partner, then \`cambio-bridge ` +
            "resolve`: docs/commands.md.",
    );
    new Set(facts.flatMap(({ notes }) => notes)).forEach((note) => io.err(note));
    proposals.map(proposalText).forEach(io.err);
    if (numbers.underWay > 0)
      io.err(
        `${counted(numbers.underWay, "claim")} without an end: the calls are under way, or their replicas ` +
          "are gone. Then accepts among them become doubts when a replica takes commands.",
      );
  });

export const doubtsCommand = (io: Io): Command =>
  newCommand("doubts", "List the commands that are in doubt.", "doubts")
    .option("--json", "print one JSON object a line")
    .action((flags: { json?: boolean }) => list(io, flags));
