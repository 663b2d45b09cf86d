import { Command } from "commander";
import { listDoubts, proposalsOf, type Doubt } from "../operate/doubts/doubts.ts";
import { factsOfDoubts, type DoubtFacts } from "../operate/doubts/facts.ts";
import type { Proposal } from "../operate/resolve/proposal.ts";
import { counted } from "../runtime/counted.ts";
import { iso } from "../runtime/instant.ts";
import { factsJson, proposalJson, proposalText } from "./doubt-lines.ts";
import { examples, EXIT, printRows, sayProgress, type Exit, type ExitCode, type Io, type Row } from "./io.ts";
import { withTool } from "./tool.ts";

const COLUMNS = [
  ...[
    "since",
    "commandId",
    "quoteId",
    "externalId",
    "amount",
    "evidence",
    "claimedAt",
    "error",
    "resolvableAt",
  ],
];

const timesOf = ({ sinceMs, claimedAtMs, resolvableAtMs }: Doubt) => ({
  since: iso(sinceMs),
  claimedAt: iso(claimedAtMs),
  resolvableAt: iso(resolvableAtMs),
});

/** For people, of several pieces of evidence the first. */
const rowOf = (doubt: Doubt, facts: DoubtFacts): Row => {
  const [evidence] = facts.evidence;
  const evidenceCell = evidence && `${evidence.kind} of ${evidence.transactionId}`;
  return { ...timesOf(doubt), ...doubt, amount: facts.amount?.text, evidence: evidenceCell };
};

const jsonOf = (doubt: Doubt, facts: DoubtFacts, proposals: readonly Proposal[]): Row => {
  const { sinceMs, claimedAtMs, resolvableAtMs, requestHash, ...rest } = doubt;
  return {
    ...timesOf({ ...doubt, sinceMs, claimedAtMs, resolvableAtMs, requestHash }),
    ...rest,
    ...factsJson(facts),
    proposals: proposalsOf(doubt, proposals).map(proposalJson),
  };
};

const list = (io: Io, json: boolean): Promise<ExitCode> =>
  withTool(io, async (tool) => {
    const { topics, kafka } = tool.config;
    const onProgress = sayProgress(io, "the journal");
    const { doubts, numbers, proposals } = await listDoubts(tool, { onProgress }, io.stopped);
    const facts = await factsOfDoubts(tool, doubts, sayProgress(io, "the topics"), io.stopped);
    const rows = doubts.flatMap((doubt, i) => {
      const factsOfDoubt = facts[i];
      return factsOfDoubt ? [json ? jsonOf(doubt, factsOfDoubt, proposals) : rowOf(doubt, factsOfDoubt)] : [];
    });
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
    return EXIT.done;
  });

export const doubtsCommand = (io: Io, exit: Exit): Command =>
  new Command("doubts")
    .description("List the commands that are in doubt.")
    .option("--json", "print one JSON object a line")
    .addHelpText("after", examples("doubts"))
    .action(async ({ json = false }: { json?: boolean }) => exit(await list(io, json)));
