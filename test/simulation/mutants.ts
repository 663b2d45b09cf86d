import type { Scenario } from "./scenario.ts";

/** A mistake in the code, and the kind of schedules that are searched for it. */
export type Mutant = { name: string; edits: Edit[]; kind: Partial<Scenario> };
/** `file` is relative to src; `from` must occur in it exactly once. */
type Edit = { file: string; from: string; to: string };

/** Puts a mistake into a file. @param to nothing: what stands there is left out */
const inFile =
  (file: string) =>
  (from: string, to = ""): Edit => ({ file, from, to });

const attempt = inFile("commands-to-results/accept-once/attempt.ts");
const kafkaRetry = inFile("commands-to-results/accept-once/kafka-retry.ts");
const execute = inFile("commands-to-results/accept-once/execute.ts");
const perform = inFile("commands-to-results/accept-once/perform.ts");
const partitionView = inFile("commands-to-results/accept-once/partition-view.ts");
const quoteKey = inFile("commands-to-results/quote-key.ts");
const publishResult = inFile("commands-to-results/accept-once/publish-result.ts");
const foldRules = inFile("commands-to-results/accept-once/fold-rules.ts");
const loops = inFile("commands-to-results/accept-once/loops.ts");
const clock = inFile("runtime/clock.ts");
const nextStep = inFile("commands-to-results/accept-once/next-step.ts");
const progress = inFile("commands-to-results/accept-once/progress.ts");
const gates = inFile("commands-to-results/accept-once/gates.ts");
const view = inFile("commands-to-results/accept-once/view.ts");
const memory = inFile("commands-to-results/accept-once/memory.ts");
const resolve = inFile("commands-to-results/accept-once/resolve.ts");
const watch = inFile("commands-to-results/accept-once/journal/watch.ts");
const keyOrder = inFile("kafka/consume/key-order.ts");
const watermark = inFile("kafka/consume/watermark.ts");
const assignedPartition = inFile("kafka/consume/assigned-partition.ts");

const HOLDS = attempt("      deps.view.holds(ref, attemptId) &&\n");
const CALL = "const outcome = await deps.call(request, { signal: signals.cut, withinMs, mayCall });";
const DECISION = "    const step = nextStep(factsOf(job, progress));\n";

/** A command is answered without the journal. */
const answeredEarly = (verdict: string): Edit[] => [
  execute(
    DECISION,
    `    const { deps, prepared } = job;
    const early = ${verdict};
    if (early) {
      const { identity, receivedAt } = prepared;
      const result = buildResult({ identity, receivedAt, completedAt: deps.clock.now(), attempts: 0 }, early);
      await deps.publish(result, deps.codec.encode(result), prepared.envelope);
      return result;
    }
${DECISION}`,
  ),
  execute(
    'import { perform } from "./perform.ts";\n',
    'import { perform } from "./perform.ts";\nimport { buildResult } from "../build-result.ts";\n',
  ),
];

/**
 * Two gates cannot be left out before the claim, and only test/unit/commands-to-results/accept-once/gates.test.ts holds
 * them there: with a view that is not read the table waits before it looks at a gate, and what is stopped appends
 * nothing, so that the loop would turn without end instead of breaking a promise.
 */
const BYTES_ONLY = ["stopping", "journal"];

/** One mistake for each gate and each place where it is asked. */
const withoutGates = Object.fromEntries(
  ["stopping", "heartbeat", "journal", "guard", "paused", "doubt", "deadline", "breaker", "rate"].flatMap(
    (gate) =>
      (BYTES_ONLY.includes(gate) ? ["bytes"] : ["claim", "bytes"]).map((place): [string, Edit[]] => [
        `the gate "${gate}" is not asked before the ${place}`,
        [
          gates(
            "isAsked(gate, beginning) ?",
            `isAsked(gate, beginning) && !(gate === "${gate}" && (beginning === "bytes") === ${place === "bytes"}) ?`,
          ),
        ],
      ]),
  ),
);

const edits: Record<string, Edit[]> = {
  "no read-back: an acknowledged claim is taken for permission": [HOLDS],
  "an append that was not acknowledged is taken for a claim": [
    kafkaRetry(
      `  const position = await retryUntilAborted(writer, "append", signal, append);
  await view.past(ref, position, signal);
  return position;`,
      `  const sent = append();
  const position = step.kind === "claimed" ? await sent.catch(() => null) : await retryUntilAborted(writer, "append", signal, () => sent.catch(append));
  if (position) await view.past(ref, position, signal);
  return position ?? { partition: 0, offset: 0 };`,
    ),
    HOLDS,
  ],
  "the guards run before the journal is read": answeredEarly(
    'prepared.work.kind === "call" ? deps.guard(prepared.work.command, deps.clock.now()) : null',
  ),
  "a refused command is answered without the journal": answeredEarly(
    'prepared.work.kind === "refuse" ? prepared.work.verdict : null',
  ),
  "a commandId may name a second command": [
    view('knownElsewhere(ref, "entry");', 'knownElsewhere(ref, "entry") && ref.key === "";'),
  ],
  "what a commandId names is not looked at again after the wait for a slot": [
    perform(
      `      await untilStopped(signals, slot.take(signals.stop));
      return progress;`,
      `      await untilStopped(signals, slot.take(signals.stop));
      return perform(job, progress, { kind: "claim", supersedes: null, willCall: true });`,
    ),
  ],
  "two commands with one commandId begin side by side": [
    execute("isLocked: !job.commandIds.isFree(job),", "isLocked: false,"),
  ],
  "a commandId counts as named before another command has an entry under it": [
    nextStep(
      'if (isLocked) return waitFor(COMMAND_ID_POLL_MS, "time");',
      'if (isLocked) return { kind: "reused" };',
    ),
  ],
  "a commandId whose claim was released names nothing": [
    partitionView(
      'change.kind !== "nothing") memory',
      'change.kind !== "nothing" && change.kind !== "held") memory',
    ),
  ],
  "two spellings of a quote are two quotes": [
    quoteKey("    .toLowerCase()\n    .toUpperCase()\n    .toLowerCase();", "    .trim();"),
  ],
  "a taken quote is spelled as in the record at hand": [
    publishResult("quoteId: quoteId ?? identity.quoteId }", "quoteId: identity.quoteId }"),
  ],
  "whether a quote is taken is decided by a look-up, not by the fold": [
    view(
      "      if (final) return",
      `      if (!final && open) return { kind: "concluded", position: { partition, offset: open.position.offset } };
      if (final) return`,
    ),
    publishResult(
      'if (step?.kind === "concluded") return',
      'if (step?.kind === "concluded" && codec.decode(step.result).commandId === commandId) return',
    ),
    publishResult('  if (step?.kind !== "claimed" || identity === null) return null;\n'),
    publishResult("if (entry && entry.commandId !== commandId)", "if (entry === undefined)"),
    publishResult(
      "resultOfClaim(codec, step, { requestHash: step.requestHash, identity })",
      "resultOfClaim(codec, { receivedAt: 0, attempts: 0, quoteId: null }, { requestHash: null, identity })",
    ),
    publishResult(
      "newest.requestHash !== requestHash)",
      "newest.requestHash !== null && newest.requestHash !== requestHash)",
    ),
  ],
  "Concluded on a free key is ignored": [
    foldRules(
      "  const openHere = open?.claim.commandId === commandId ? open : null;",
      `  if (!open) return NOTHING;
  const openHere = open?.claim.commandId === commandId ? open : null;`,
    ),
  ],
  "no Published entry: nobody publishes a final result that follows a doubt": [
    loops("view.unpublished().map(", "view.unpublished().slice(0, 0).map("),
  ],
  "the publication of a doubt counts for the final result that follows it": [
    publishResult("  if (!result.final) return result;\n"),
    foldRules("step.resultId === before.unpublished ?", "before.unpublished !== null ?"),
  ],
  "an await between the last check and the bytes": [
    attempt(
      CALL,
      `const may = mayCall();
  await deps.clock.sleep(5);
  const outcome = await deps.call(request, { signal: signals.cut, withinMs, mayCall: () => may });`,
    ),
  ],
  "a call after its deadline": [
    attempt(" &&\n      deps.view.holds(ref, attemptId) &&\n      sinceClaimMs() < beginWithinMs;", ";"),
    attempt(
      "const withinMs = Math.max(deps.options.callWithinMs - sinceClaimMs(), 0);",
      "const withinMs = deps.options.callWithinMs;",
    ),
  ],
  "the stopwatch trusts the monotonic clock": [
    clock(
      "Math.max(clock.now() - wall, clock.monotonic() - monotonic, 0)",
      "Math.max(clock.monotonic() - monotonic, wall - wall)",
    ),
  ],
  "the stopwatch trusts the wall clock": [
    clock(
      "Math.max(clock.now() - wall, clock.monotonic() - monotonic, 0)",
      "Math.max(clock.now() - wall, monotonic - monotonic)",
    ),
  ],
  "commit before publish": [
    publishResult(
      "    await deps.publish(result, value, envelope);",
      "    void deps.publish(result, value, envelope).catch(() => undefined);",
    ),
  ],
  "a takeover does not wait": [
    execute(
      "return claim.callWithinMs + options.takeoverMarginMs - ageMs;",
      "return 0 * (claim.callWithinMs + options.takeoverMarginMs - ageMs);",
    ),
  ],
  "a view that skips a gap": [
    view(
      "      if (record.offset !== own.next) {",
      `      if (own.next !== null) own.next = record.offset;
      if (record.offset !== own.next) {`,
    ),
  ],
  "a discarded view goes on in the middle of the log": [
    view(
      "      if (record.offset !== own.next) {",
      `      own.next ??= record.offset;
      if (record.offset !== own.next) {`,
    ),
  ],
  "an accept is superseded like a create": [
    foldRules('operation === "CREATE_QUOTE" && !open.inDoubt', "operation.length > 0 && !open.inDoubt"),
    nextStep('operation === "CREATE_QUOTE" && refusal', "operation.length > 0 && refusal"),
  ],
  "Released does not look at the attempt": [
    foldRules(" && open.claim.attemptId === attemptId\n", " && attemptId.length > 0\n"),
  ],
  "a late rejection without an attempt ends a doubt": [
    foldRules(
      "openHere !== null && !matches) return NOTHING;",
      "openHere !== null && !openHere.inDoubt && !matches) return NOTHING;",
    ),
  ],
  "a late rejection without an attempt ends a claim": [
    foldRules(`  if (!succeeded && openHere !== null && !matches) return NOTHING;
`),
  ],
  "a doubt frees the quote": [
    partitionView(
      "if (open) opens.set(key, { ...open, position, sinceMs: timestampMs });",
      "if (open) opens.delete(key);",
    ),
  ],
  "a late answer does not end a doubt": [
    foldRules(
      '  return { kind: "final", succeeded, closes',
      `  if (openHere?.inDoubt) return NOTHING;
  return { kind: "final", succeeded, closes`,
    ),
  ],
  "a second final replaces the first": [
    foldRules(
      '    return { kind: "contradicted", spends: succeeded };',
      '    return { kind: "final", succeeded, closes: false, afterDoubt: true };',
    ),
    foldRules(" || attemptId === null || !contradicts(operation, succeeded, final.succeeded)"),
  ],
  "a used quote is forgotten": [memory("      if (succeeded) markSpent(print);\n")],
  "a final command is forgotten": [
    foldRules(
      "  if (final || otherContent) return NOTHING;\n  if (open) {",
      "  if (otherContent) return NOTHING;\n  if (open) {",
    ),
    view("      if (final) return", "      if (final && !final.succeeded) return"),
  ],
  "a claim supersedes that of another command": [
    foldRules(
      '    if (open.claim.commandId !== commandId) return { kind: "taken" };',
      '    if (open.claim.commandId !== commandId) return { kind: "held" };',
    ),
  ],
  "what was appended is published, not what was folded": [
    perform(
      "  if (attemptId === null) return progress;\n",
      `  await deps.publish(conclusion.result, conclusion.value, envelope).catch(() => undefined);
  if (attemptId === null) return progress;
`,
    ),
  ],
  "an attempt that ended in a doubt is released": [
    nextStep(
      '  if (own.kind === "ended") return conclude',
      `  if (own.kind === "ended" && own.verdict.outcome === "IN_DOUBT" && look.kind === "held")
    return { kind: "release", attemptId: own.attemptId };
  if (own.kind === "ended") return conclude`,
    ),
  ],
  "an unanswered accept is tried again": [
    attempt(
      '    if (disposition.kind === "conclude") {',
      `    if (outcome.kind === "unknown") return { ...sent, kind: "notExecuted", verdict, afterMs: 0 };
    if (disposition.kind === "conclude") {`,
    ),
  ],
  "a claim permits two calls": [attempt('    if (permission === "used") return false;\n')],
  "a claim whose call has not left is not released": [
    nextStep(
      'if (gate?.kind === "stop" && own.kind === "notExecuted")',
      'if (gate?.kind === "stop" && own.kind === "notExecuted" && own.attemptId === "")',
    ),
    nextStep(
      '  switch (call) {\n    case "notExecuted":\n',
      '  switch (call) {\n    case "notExecuted":\n      if (gate?.kind === "stop") return STOP;\n',
    ),
  ],
  "a conclusion is not written once the partition is lost": [
    perform("about, result, signals.abandon);", "about, result, signals.stop);"),
  ],
  "a command that is sent again is not answered again": [
    perform(
      "      const settled = await publishStandingResult(",
      `      if (progress.conclusion === null && deps.view.look(ref).kind === "concluded") return { settled: null };
      const settled = await publishStandingResult(`,
    ),
  ],
  "the content of a command that is sent again is not compared": [
    execute("view.look(ref, requestHash) :", "view.look(ref) :"),
    publishResult('  if (newest.requestHash !== requestHash) return "reused";\n'),
  ],
  "a late claim with other content blocks the first one": [
    foldRules(
      "  if (final || otherContent) return NOTHING;",
      "  if (final || (otherContent && final)) return NOTHING;",
    ),
  ],
  "an operator may decide while the call can be under way": [
    resolve("Math.max(AGE_FACTOR * claim.callWithinMs, LEAST_AGE_MS);", "0 * claim.callWithinMs;"),
  ],
  "the operator's wait has no floor": [
    resolve("Math.max(AGE_FACTOR * claim.callWithinMs, LEAST_AGE_MS);", "AGE_FACTOR * claim.callWithinMs;"),
  ],
  "entries that are gone from the journal's beginning are forgotten": [
    watch("lose(identity.dropped(ranges))", "void identity.dropped(ranges)"),
  ],
  "commands are begun while the journal is kept too shortly": [
    watch('    else log.info({ topic }, "journal.fit");\n    options.mayBeginChanged();\n'),
  ],
  "a claim without a command stays held": [
    loops('ref.operation === "ACCEPT_QUOTE");', 'ref.operation === "ACCEPT_QUOTE" && ref.key === "");'),
  ],
  "a claim is doubted beside its owner while the call can be under way": [
    loops("claim.callWithinMs + options.takeoverMarginMs + afterMs,", "0 * claim.callWithinMs,"),
  ],
  "a doubt's age is taken by the clock of the operator's machine": [
    resolve(
      "    const nowMs = deps.timeOf(position);\n",
      `    const nowMs = position.offset < 0 ? null : deps.clock.now();
`,
    ),
  ],
  "one command too many is in flight": [
    keyOrder("suspended || running >= maxRunning;", "suspended || running > maxRunning;"),
  ],
  "commands of one key run side by side": [
    keyOrder("key === null ? undefined : lastOf.get(key)", "undefined"),
  ],
  "the watermark passes an unfinished command": [
    watermark(
      `      if (!this.#finished.delete(oldest.offset)) return oldest.offset;
`,
      "      this.#finished.delete(oldest.offset);\n",
    ),
  ],
  "a Released ends a doubt": [
    foldRules("  open && !open.inDoubt && open.claim.commandId", "  open && open.claim.commandId"),
  ],
  "a paused command is given up": [
    assignedPartition("      if (isLost()) return;\n", "      if (isLost() || signal.aborted) return;\n"),
  ],
  "a waiting command is not resumed after a pause": [
    keyOrder("      suspended = isSuspended;\n      fillSlots();\n", "      suspended = isSuspended;\n"),
  ],
  "the call of a paused command is cut": [
    attempt("{ signal: signals.cut, withinMs, mayCall }", "{ signal: signals.stop, withinMs, mayCall }"),
  ],
  "the claim of a paused command is released although its call left": [
    attempt(
      CALL,
      `const held = new Promise((resolve) => {
    signals.stop.addEventListener("abort", () => resolve({ kind: "notSent", reason: "held" }));
  });
  const outcome = await Promise.race([held, deps.call(request, { signal: signals.cut, withinMs, mayCall })]);`,
    ),
  ],
  "a command that gets no claim keeps its slot": [
    execute('        pass.give("nothing");\n        slot.leave();\n'),
  ],
  "a command that waits keeps its slot": [
    perform("      slot.leave();\n      // What this replica", "      // What this replica"),
  ],
  "who publishes again gives a commandId a second final result": [
    loops("view.finalElsewhere(ref));", '"none");'),
  ],
  "a command without a claim is told FAILED without the journal": answeredEarly(
    'progress.verdict.error?.message.includes("claim") ? progress.verdict : null',
  ),
  "a create whose call may have been executed gives its claim back": [
    progress('const kind = lost === null ? attempted.kind : "mayBeExecuted";', 'const kind = "notExecuted";'),
  ],
  "the calls of a create are counted anew by each owner": [
    progress("Math.max(progress.callsSent, attempts + 1)", "Math.max(progress.callsSent, 0 * attempts)"),
  ],
  "a create is called without end": [gates("lost && callsSent >= MAX_CREATES", "lost && callsSent < 0")],
  "a decision gives a commandId a second final result": [
    resolve(
      'older.some((one) => view.look(one).kind === "free") ? "stands" : view.finalElsewhere(ref);',
      'older.length > 0 && view.finalElsewhere(ref) === "waits" ? "stands" : "none";',
    ),
  ],
  "who publishes again does not wait for a claim of the commandId under another key": [
    view('one.operation === "ACCEPT_QUOTE" && isRival(one)', "false && isRival(one)"),
  ],
  "a decision is kept back for an older command that is in doubt itself": [
    resolve('older.some((one) => view.look(one).kind === "free")', "older.length > 0"),
  ],
  ...withoutGates,
};

/** What is found by one schedule in thousands is searched for in schedules that are more likely to find it. */
const KINDS: Record<string, Partial<Scenario>> = {
  "a command that waits keeps its slot": { rareCase: "late-claim" },
  "who publishes again does not wait for a claim of the commandId under another key": {
    rareCase: "late-claim",
  },
  "a decision is kept back for an older command that is in doubt itself": { rareCase: "late-claim" },
  "who publishes again gives a commandId a second final result": { rareCase: "late-answer" },
  "the publication of a doubt counts for the final result that follows it": { rareCase: "late-answer" },
  'the gate "breaker" is not asked before the bytes': { partnerIsBusy: true },
};

export const mutants: Mutant[] = Object.entries(edits).map(([name, all]) => ({
  name,
  edits: all,
  kind: KINDS[name] ?? {},
}));
