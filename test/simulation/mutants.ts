/** A mistake in the protocol. `file` is relative to src; `from` must occur in it exactly once. */
export type Mutant = { name: string; edits: { file: string; from: string; to: string }[] };

const HOLDS_BEFORE_CALL = "    if (!deps.view.holds(ref, attemptId)) return;\n";
const HOLDS_AT_CALL = " || !deps.view.holds(ref, attemptId)) return false;";

export const mutants: Mutant[] = [
  {
    name: "no read-back: an acknowledged claim is taken for permission",
    edits: [
      { file: "commands-to-results/accept-once/attempt.ts", from: HOLDS_BEFORE_CALL, to: "" },
      { file: "commands-to-results/accept-once/attempt.ts", from: HOLDS_AT_CALL, to: ") return false;" },
    ],
  },
  {
    name: "an append that was not acknowledged is taken for a claim",
    edits: [
      {
        file: "commands-to-results/accept-once/kafka-retry.ts",
        from: `  const position = await retryUntilAborted(deps, "append", signal, append);
  await deps.view.past(position, signal);
  return position;`,
        to: `  const sent = deps.journal.append(key, entry);
  const position = entry.step.kind === "claimed" ? await sent.catch(() => null) : await retryUntilAborted(deps, "append", signal, () => sent.catch(() => deps.journal.append(key, entry)));
  if (position) await deps.view.past(position, signal);
  return position ?? { partition: 0, offset: 0 };`,
      },
      { file: "commands-to-results/accept-once/attempt.ts", from: HOLDS_BEFORE_CALL, to: "" },
      { file: "commands-to-results/accept-once/attempt.ts", from: HOLDS_AT_CALL, to: ") return false;" },
    ],
  },
  {
    name: "the guards run before the journal is read",
    edits: [
      {
        file: "commands-to-results/accept-once/execute.ts",
        from: "    const found = deps.view.look(ref);\n",
        to: `    const early = prepared.work.kind === "call" ? deps.guard(prepared.work.command, deps.clock.now()) : null;
    if (early) {
      const result = deps.buildResult({ identity: prepared.identity, receivedAt: prepared.receivedAt, completedAt: deps.clock.now(), attempts: 0 }, early);
      await deps.publish(result, deps.codec.encode(result), prepared.envelope);
      return { kind: "answered", result };
    }
    const found = deps.view.look(ref);
`,
      },
    ],
  },
  {
    name: "a refused command is answered without the journal",
    edits: [
      {
        file: "commands-to-results/accept-once/execute.ts",
        from: "    const found = deps.view.look(ref);\n",
        to: `    if (prepared.work.kind === "refuse") {
      const result = deps.buildResult({ identity: prepared.identity, receivedAt: prepared.receivedAt, completedAt: deps.clock.now(), attempts: 0 }, prepared.work.verdict);
      await deps.publish(result, deps.codec.encode(result), prepared.envelope);
      return { kind: "answered", result };
    }
    const found = deps.view.look(ref);
`,
      },
    ],
  },
  {
    name: "a commandId may name a second command",
    edits: [
      {
        file: "commands-to-results/accept-once/execute.ts",
        from: "      if (deps.view.isNamedElsewhere(ref)) {\n",
        to: "      if (signals.stop.aborted) {\n",
      },
      {
        file: "commands-to-results/accept-once/attempt.ts",
        from: " || deps.view.isNamedElsewhere(ref)) return;",
        to: ") return;",
      },
    ],
  },
  {
    name: "what a commandId names is not checked again after the wait for a slot",
    edits: [
      {
        file: "commands-to-results/accept-once/attempt.ts",
        from: " || deps.view.isNamedElsewhere(ref)) return;",
        to: ") return;",
      },
    ],
  },
  {
    name: "two commands with one commandId begin side by side",
    edits: [
      {
        file: "commands-to-results/accept-once/execute.ts",
        from: "} else if (commandIds.acquire(job)) await begin",
        to: "} else if (commandIds.acquire(job) || job.ref.key) await begin",
      },
    ],
  },
  {
    name: "a commandId counts as named before another command has an entry under it",
    edits: [
      {
        file: "commands-to-results/accept-once/execute.ts",
        from: "      else await leaveFor(job, deps.clock.sleep(COMMAND_ID_POLL_MS, signals.stop));\n",
        to: '      else return { kind: "reused" };\n',
      },
    ],
  },
  {
    name: "a commandId whose claim was released names nothing",
    edits: [
      {
        file: "commands-to-results/accept-once/partition-view.ts",
        from: 'change.kind !== "nothing") memory',
        to: 'change.kind !== "nothing" && change.kind !== "held") memory',
      },
    ],
  },
  {
    name: "two spellings of a quote are two quotes",
    edits: [
      {
        file: "commands-to-results/quote-key.ts",
        from: "    .toLowerCase()\n    .toUpperCase()\n    .toLowerCase();",
        to: "    .trim();",
      },
    ],
  },
  {
    name: "a taken quote is spelled as in the record at hand",
    edits: [
      {
        file: "commands-to-results/accept-once/publish-result.ts",
        from: "quoteId: step.quoteId ?? prepared.identity.quoteId }",
        to: "quoteId: prepared.identity.quoteId }",
      },
    ],
  },
  {
    name: "whether a quote is taken is decided by a look-up, not by the fold",
    edits: [
      {
        file: "commands-to-results/accept-once/partition-view.ts",
        from: "      const { final } = memory.look(fingerprint(ref));\n",
        to: `      const { final } = memory.look(fingerprint(ref));
      const other = opens.get(keyName(ref));
      if (!final && other) return { kind: "concluded", position: { partition, offset: other.offset }, taken: true };
`,
      },
      {
        file: "commands-to-results/accept-once/publish-result.ts",
        from: `  if (step.kind === "concluded")
    return`,
        to: `  if (step.kind === "concluded" && step.resultId.startsWith(prepared.identity.commandId))
    return`,
      },
      {
        file: "commands-to-results/accept-once/publish-result.ts",
        from: `  if (step.kind !== "claimed") return null;
`,
        to: "",
      },
      {
        file: "commands-to-results/accept-once/publish-result.ts",
        from: "  const { receivedAt, attempts, requestHash } = step;",
        to: "  const receivedAt = 0, attempts = 0, { requestHash } = prepared;",
      },
    ],
  },
  {
    name: "Concluded on a free key is ignored",
    edits: [
      {
        file: "commands-to-results/accept-once/fold-rules.ts",
        from: "  const own = open?.claim.commandId === commandId ? open : null;",
        to: "  if (!open) return NOTHING;\n  const own = open?.claim.commandId === commandId ? open : null;",
      },
    ],
  },
  {
    name: "no Published entry: nobody publishes a final result that follows a doubt",
    edits: [
      {
        file: "commands-to-results/accept-once/loops.ts",
        from: "const waiting = view.unpublished();",
        to: "const waiting = view.unpublished().slice(0, 0);",
      },
    ],
  },
  {
    name: "the publication of a doubt counts for the final result that follows it",
    edits: [
      {
        file: "commands-to-results/accept-once/publish-result.ts",
        from: "  if (result.final && view.isUnpublished(ref))",
        to: "  if (view.isUnpublished(ref))",
      },
      {
        file: "commands-to-results/accept-once/fold-rules.ts",
        from: "step.resultId === before.unpublished ?",
        to: "before.unpublished !== null ?",
      },
    ],
  },
  {
    name: "an await between the last check and the bytes",
    edits: [
      {
        file: "commands-to-results/accept-once/attempt.ts",
        from: "const outcome = await deps.call(request, { signal: signals.cut, withinMs, mayCall });",
        to: `const may = mayCall();
  await deps.clock.sleep(5);
  const outcome = await deps.call(request, { signal: signals.cut, withinMs, mayCall: () => may });`,
      },
    ],
  },
  {
    name: "a call after its deadline",
    edits: [
      {
        file: "commands-to-results/accept-once/attempt.ts",
        from: " || sinceClaimMs() >= beginWithinMs",
        to: "",
      },
      { file: "commands-to-results/accept-once/attempt.ts", from: HOLDS_AT_CALL, to: ") return false;" },
      {
        file: "commands-to-results/accept-once/attempt.ts",
        from: "const withinMs = Math.max(callWithinMs - sinceClaimMs(), 0);",
        to: "const withinMs = callWithinMs;",
      },
    ],
  },
  {
    name: "the stopwatch trusts the monotonic clock",
    edits: [
      {
        file: "runtime/clock.ts",
        from: "Math.max(clock.now() - wall, clock.monotonic() - monotonic, 0)",
        to: "Math.max(clock.monotonic() - monotonic, wall - wall)",
      },
    ],
  },
  {
    name: "the stopwatch trusts the wall clock",
    edits: [
      {
        file: "runtime/clock.ts",
        from: "Math.max(clock.now() - wall, clock.monotonic() - monotonic, 0)",
        to: "Math.max(clock.now() - wall, monotonic - monotonic)",
      },
    ],
  },
  {
    name: "commit before publish",
    edits: [
      {
        file: "commands-to-results/accept-once/publish-result.ts",
        from: "published = await deps.publish(result, value, envelope).then(",
        to: "published = true;\n    void deps.publish(result, value, envelope).then(",
      },
    ],
  },
  {
    name: "a takeover does not wait",
    edits: [
      {
        file: "commands-to-results/accept-once/takeover.ts",
        from: "return callWithinMs + options.takeoverMarginMs - ageMs;",
        to: "return 0 * (callWithinMs + options.takeoverMarginMs - ageMs);",
      },
    ],
  },
  {
    name: "a view that skips a gap",
    edits: [
      {
        file: "commands-to-results/accept-once/view.ts",
        from: "      if (record.offset !== own.next) {",
        to: "      if (own.next !== null) own.next = record.offset;\n      if (record.offset !== own.next) {",
      },
    ],
  },
  {
    name: "a discarded view goes on in the middle of the log",
    edits: [
      {
        file: "commands-to-results/accept-once/view.ts",
        from: "      if (record.offset !== own.next) {",
        to: "      own.next ??= record.offset;\n      if (record.offset !== own.next) {",
      },
    ],
  },
  {
    name: "an accept is superseded like a create",
    edits: [
      {
        file: "commands-to-results/accept-once/fold-rules.ts",
        from: 'operation === "CREATE_QUOTE" && !open.inDoubt',
        to: "operation.length > 0 && !open.inDoubt",
      },
      {
        file: "commands-to-results/accept-once/takeover.ts",
        from: 'if (ref.operation === "ACCEPT_QUOTE") {',
        to: "if (ref.operation.length === 0) {",
      },
    ],
  },
  {
    name: "Released does not look at the attempt",
    edits: [
      {
        file: "commands-to-results/accept-once/fold-rules.ts",
        from: " && open.claim.attemptId === attemptId\n",
        to: " && attemptId.length > 0\n",
      },
    ],
  },
  {
    name: "a late rejection without an attempt ends a doubt",
    edits: [
      {
        file: "commands-to-results/accept-once/fold-rules.ts",
        from: "own !== null && !matches) return NOTHING;",
        to: "own !== null && !own.inDoubt && !matches) return NOTHING;",
      },
    ],
  },
  {
    name: "a late rejection without an attempt ends a claim",
    edits: [
      {
        file: "commands-to-results/accept-once/fold-rules.ts",
        from: "  if (!succeeded && own !== null && !matches) return NOTHING;\n",
        to: "",
      },
    ],
  },
  {
    name: "a doubt frees the quote",
    edits: [
      {
        file: "commands-to-results/accept-once/partition-view.ts",
        from: "          if (open) opens.set(name, { ...open, offset, doubtSinceMs: timestampMs });",
        to: "          if (open) opens.delete(name);",
      },
    ],
  },
  {
    name: "a late answer does not end a doubt",
    edits: [
      {
        file: "commands-to-results/accept-once/fold-rules.ts",
        from: '  return { kind: "final", succeeded, closes',
        to: '  if (own?.inDoubt) return NOTHING;\n  return { kind: "final", succeeded, closes',
      },
    ],
  },
  {
    name: "a second final replaces the first",
    edits: [
      {
        file: "commands-to-results/accept-once/fold-rules.ts",
        from: '    return { kind: "contradicted", spends: succeeded };',
        to: '    return { kind: "final", succeeded, closes: false, afterDoubt: true };',
      },
      {
        file: "commands-to-results/accept-once/fold-rules.ts",
        from: " || attemptId === null || !contradicts(operation, succeeded, final.succeeded)",
        to: "",
      },
    ],
  },
  {
    name: "a used quote is forgotten",
    edits: [
      {
        file: "commands-to-results/accept-once/memory.ts",
        from: "      if (succeeded) spend(at(print, KEY), at(print, KEY + 1));\n",
        to: "",
      },
    ],
  },
  {
    name: "a final command is forgotten",
    edits: [
      {
        file: "commands-to-results/accept-once/fold-rules.ts",
        from: "  if (final || otherContent) return NOTHING;\n  if (open) {",
        to: "  if (otherContent) return NOTHING;\n  if (open) {",
      },
      {
        file: "commands-to-results/accept-once/partition-view.ts",
        from: '      if (!final) return { kind: "free" };',
        to: '      if (!final || !final.taken) return { kind: "free" };',
      },
    ],
  },
  {
    name: "a claim supersedes that of another command",
    edits: [
      {
        file: "commands-to-results/accept-once/fold-rules.ts",
        from: '    if (open.claim.commandId !== commandId) return { kind: "taken" };',
        to: '    if (open.claim.commandId !== commandId) return { kind: "held" };',
      },
    ],
  },
  {
    name: "the guard is not asked again before the call",
    edits: [
      {
        file: "commands-to-results/accept-once/attempt.ts",
        from: "    refusal = deps.guard(command, deps.clock.now());\n",
        to: "",
      },
    ],
  },
  {
    name: "what was appended is published, not what was folded",
    edits: [
      {
        file: "commands-to-results/accept-once/job.ts",
        from: "  const written = await appendConclusion(job.deps, job.ref, conclusion, result);\n",
        to: "  const written = await appendConclusion(job.deps, job.ref, conclusion, result);\n  await job.deps.publish(written.result, written.value, job.prepared.envelope).catch(() => undefined);\n",
      },
    ],
  },
  {
    name: "a call that has left counts as not sent",
    edits: [
      {
        file: "commands-to-results/accept-once/attempt.ts",
        from: "    job.repeatable.delete(attemptId);\n    job.unreleased = null;\n",
        to: "",
      },
      {
        file: "commands-to-results/accept-once/attempt.ts",
        from: "      job.repeatable.delete(attemptId);\n",
        to: "",
      },
    ],
  },
  {
    name: "an unanswered accept is tried again",
    edits: [
      {
        file: "commands-to-results/accept-once/attempt.ts",
        from: '    if (disposition.kind === "conclude") {',
        to: '    if (outcome.kind === "unknown") job.repeatable.set(attemptId, neverSent);\n    else if (disposition.kind === "conclude") {',
      },
    ],
  },
  {
    name: "a claim permits two calls",
    edits: [
      {
        file: "commands-to-results/accept-once/attempt.ts",
        from: "if (asked || signals",
        to: "if (signals",
      },
    ],
  },
  {
    name: "a claim whose call has not left is not released",
    edits: [
      {
        file: "commands-to-results/accept-once/execute.ts",
        from: "      if (job.unreleased !== null && !signals.abandon.aborted) await release(job, job.unreleased);\n",
        to: "",
      },
    ],
  },
  {
    name: "a conclusion is not written once the partition is lost",
    edits: [
      {
        file: "commands-to-results/accept-once/job.ts",
        from: "note: null, traceparent, signal: job.signals.abandon };",
        to: "note: null, traceparent, signal: job.signals.stop };",
      },
    ],
  },
  {
    name: "a command that is sent again is not answered again",
    edits: [
      {
        file: "commands-to-results/accept-once/execute.ts",
        from: "    const settled = await publishStandingResult(job, found);\n",
        to: `    if (found.kind === "concluded" && job.ownConclusion === null) return { kind: "answered", result: null };
    const settled = await publishStandingResult(job, found);
`,
      },
    ],
  },
  {
    name: "the content of a command that is sent again is not compared",
    edits: [
      {
        file: "commands-to-results/accept-once/execute.ts",
        from: '    if (deps.view.hasOtherContent(ref, prepared.requestHash)) return { kind: "reused" };\n',
        to: "",
      },
      {
        file: "commands-to-results/accept-once/publish-result.ts",
        from: '  if (newest.requestHash !== prepared.requestHash) return { kind: "reused" };\n',
        to: "",
      },
    ],
  },
  {
    name: "a late claim with other content blocks the first one",
    edits: [
      {
        file: "commands-to-results/accept-once/fold-rules.ts",
        from: "  if (final || otherContent) return NOTHING;",
        to: "  if (final || (otherContent && final)) return NOTHING;",
      },
    ],
  },
  {
    name: "an operator may decide while the call can be under way",
    edits: [
      {
        file: "commands-to-results/accept-once/resolve.ts",
        from: "  Math.max(AGE_FACTOR * callWithinMs, LEAST_AGE_MS);",
        to: "  0 * callWithinMs;",
      },
    ],
  },
  {
    name: "the operator's wait has no floor",
    edits: [
      {
        file: "commands-to-results/accept-once/resolve.ts",
        from: "  Math.max(AGE_FACTOR * callWithinMs, LEAST_AGE_MS);",
        to: "  AGE_FACTOR * callWithinMs;",
      },
    ],
  },
  {
    name: "entries that are gone from the journal's beginning are forgotten",
    edits: [
      {
        file: "commands-to-results/accept-once/journal/watch.ts",
        from: "    if (dropped !== null) trust.lose(droppedText(dropped));\n",
        to: "",
      },
    ],
  },
  {
    name: "commands are begun while the journal is kept too shortly",
    edits: [
      {
        file: "commands-to-results/accept-once/journal/watch.ts",
        from: "    options.fits(!wasFit);\n",
        to: "",
      },
    ],
  },
  {
    name: "a claim without a command stays held",
    edits: [
      {
        file: "commands-to-results/accept-once/loops.ts",
        from: 'ref.operation === "ACCEPT_QUOTE");',
        to: 'ref.operation === "ACCEPT_QUOTE" && ref.key === "");',
      },
    ],
  },
  {
    name: "a claim is doubted beside its owner while the call can be under way",
    edits: [
      {
        file: "commands-to-results/accept-once/loops.ts",
        from: "< claim.callWithinMs + options.takeoverMarginMs + afterMs) continue;",
        to: "< 0 * (claim.callWithinMs + options.takeoverMarginMs + afterMs)) continue;",
      },
    ],
  },
  {
    name: "a doubt's age is taken by the clock of the operator's machine",
    edits: [
      {
        file: "commands-to-results/accept-once/resolve.ts",
        from: "  const nowMs = deps.timeOf(position);\n",
        to: "  const nowMs = position.offset < 0 ? null : deps.clock.now();\n",
      },
    ],
  },
  {
    name: "one command too many is in flight",
    edits: [
      {
        file: "kafka/consume/key-order.ts",
        from: "running >= maxRunning) return;",
        to: "running > maxRunning) return;",
      },
    ],
  },
  {
    name: "commands of one key run side by side",
    edits: [
      {
        file: "kafka/consume/key-order.ts",
        from: "const waiting = key === null ? undefined : waitingByKey.get(key);",
        to: "const waiting = undefined;",
      },
    ],
  },
  {
    name: "the watermark passes an unfinished command",
    edits: [
      {
        file: "kafka/consume/watermark.ts",
        from: "      if (!this.#finished.delete(oldest.offset)) return oldest.offset;\n",
        to: "      this.#finished.delete(oldest.offset);\n",
      },
    ],
  },
  {
    name: "a Released ends a doubt",
    edits: [
      {
        file: "commands-to-results/accept-once/fold-rules.ts",
        from: "  open && !open.inDoubt && open.claim.commandId",
        to: "  open && open.claim.commandId",
      },
    ],
  },
  {
    name: "a paused command is given up",
    edits: [
      {
        file: "kafka/consume/assigned-partition.ts",
        from: "      if (isLost()) return;\n",
        to: "      if (isLost() || signal.aborted) return;\n",
      },
    ],
  },
  {
    name: "a waiting command is not resumed after a pause",
    edits: [
      {
        file: "kafka/consume/key-order.ts",
        from: "      suspended = isSuspended;\n      fillSlots();\n",
        to: "      suspended = isSuspended;\n",
      },
    ],
  },
  {
    name: "the call of a paused command is cut",
    edits: [
      {
        file: "commands-to-results/accept-once/attempt.ts",
        from: "{ signal: signals.cut, withinMs, mayCall }",
        to: "{ signal: signals.stop, withinMs, mayCall }",
      },
    ],
  },
  {
    name: "the claim of a paused command is released although its call left",
    edits: [
      {
        file: "commands-to-results/accept-once/attempt.ts",
        from: "const outcome = await deps.call(request, { signal: signals.cut, withinMs, mayCall });",
        to: `const held = new Promise<never>((_, reject) => {
    signals.stop.addEventListener("abort", () => reject(signals.stop.reason));
  });
  const outcome = await Promise.race([held, deps.call(request, { signal: signals.cut, withinMs, mayCall })]);`,
      },
      {
        file: "commands-to-results/accept-once/attempt.ts",
        from: "    job.repeatable.delete(attemptId);\n    job.unreleased = null;\n",
        to: "    job.repeatable.delete(attemptId);\n",
      },
    ],
  },
  {
    name: "a command that gets no claim keeps its slot",
    edits: [
      {
        file: "commands-to-results/accept-once/job.ts",
        from: "    leaveSlot(job);\n    job.retrying();\n",
        to: "",
      },
      {
        file: "commands-to-results/accept-once/attempt.ts",
        from: "    end();\n    leaveSlot(job);\n",
        to: "",
      },
    ],
  },
  {
    name: "a claim is called although its slot is given back",
    edits: [
      {
        file: "commands-to-results/accept-once/attempt.ts",
        from: "    if (hasEnded()) return;\n    // Acknowledged",
        to: "    // Acknowledged",
      },
    ],
  },
  {
    name: "a command without a claim is told FAILED without the journal",
    edits: [
      {
        file: "commands-to-results/accept-once/execute.ts",
        from: "    const found = deps.view.look(ref);\n",
        to: `    if (job.verdictAtDeadline.error?.message.includes("claim")) {
      const result = deps.buildResult({ identity: prepared.identity, receivedAt: prepared.receivedAt, completedAt: deps.clock.now(), attempts: 0 }, job.verdictAtDeadline);
      await deps.publish(result, deps.codec.encode(result), prepared.envelope);
      return { kind: "answered", result };
    }
    const found = deps.view.look(ref);
`,
      },
    ],
  },
];
