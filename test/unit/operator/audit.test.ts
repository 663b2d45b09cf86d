import { describe, expect, test } from "vitest";
import type { Action, Actor } from "../../../src/operator/action.ts";
import { audited, type AuditEntry } from "../../../src/operator/audit.ts";
import { auditEvent } from "../../../src/operator/audit-event.ts";
import { Forbidden } from "../../../src/operator/forbidden.ts";
import { UsageError } from "../../../src/runtime/errors.ts";

const actor: Actor = {
  by: "ana",
  role: "operator",
  note: "seen in the partner's portal",
  from: { host: "h", user: "u", program: "cli" },
};
const action: Action = { kind: "pause", subject: "commands", parameters: { until: null } };

const topic = (refuse: (entry: AuditEntry) => boolean = () => false, stopped?: AbortController) => {
  const entries: AuditEntry[] = [];
  const warned: string[] = [];
  let ids = 0;
  return {
    entries,
    warned,
    audited: audited({
      write: (entry) => {
        if (refuse(entry)) return Promise.reject(new Error("no leader"));
        entries.push(entry);
        if (entry.outcome === null) stopped?.abort();
        return Promise.resolve({ partition: 0, offset: entries.length - 1 });
      },
      newId: () => `a-${++ids}`,
      warn: (sentence) => void warned.push(sentence),
      stopped: stopped?.signal,
    }),
  };
};

describe("an audited action", () => {
  test("is in the topic before it has an effect, and with its outcome afterwards", async () => {
    const { audited, entries } = topic();
    const before: (AuditEntry | undefined)[] = [];
    const value = await audited(actor, action, ({ actionId, place }) => {
      before.push(...entries);
      expect({ actionId, place }).toEqual({ actionId: "a-1", place: { partition: 0, offset: 0 } });
      return Promise.resolve({ value: 7, outcome: { kind: "done", effect: { offset: 3 } } });
    });
    expect(value).toBe(7);
    expect(before).toEqual([{ actionId: "a-1", actor, action, outcome: null }]);
    expect(entries.at(-1)).toEqual({
      ...before[0],
      outcome: { kind: "done", effect: { offset: 3 } },
    });
  });

  test("a viewer is refused before anything is written", async () => {
    const { audited, entries } = topic();
    let acted = false;
    const attempt = audited({ ...actor, role: "viewer" }, action, () => {
      acted = true;
      return Promise.resolve({ value: null, outcome: { kind: "done", effect: {} } });
    });
    await expect(attempt).rejects.toThrow(Forbidden);
    await expect(attempt).rejects.toThrow(/^Nothing was done: ana may only look/);
    expect(acted).toBe(false);
    expect(entries).toEqual([]);
  });

  test("does not begin without a name and a note, or when they are too long", async () => {
    const { audited, entries } = topic();
    const done = () => Promise.resolve({ value: null, outcome: { kind: "done", effect: {} } as const });
    for (const odd of [
      { by: " " },
      { note: "" },
      { note: "\n" },
      { by: "x".repeat(1_001) },
      { note: "x".repeat(1_001) },
    ])
      await expect(audited({ ...actor, ...odd }, action, done)).rejects.toThrow(
        /^Nothing was done: the name/,
      );
    expect(entries).toEqual([]);
  });

  test("does not begin once it is interrupted, and says so where its first entry stands", async () => {
    const stopped = new AbortController();
    const { audited, entries } = topic(() => false, stopped);
    let acts = 0;
    const attempt = () =>
      audited(actor, action, () => {
        acts += 1;
        return Promise.resolve({ value: null, outcome: { kind: "done", effect: {} } });
      });
    const reason = "It was interrupted, and nothing was done.";
    await expect(attempt()).rejects.toThrow(reason);
    expect(entries.map(({ outcome }) => outcome)).toEqual([null, { kind: "refused", reason }]);
    await expect(attempt()).rejects.toThrow(reason);
    expect({ acts, entries: entries.length }).toEqual({ acts: 0, entries: 2 });
  });

  test("does not begin when it cannot be written", async () => {
    const { audited, warned } = topic(() => true);
    let acted = false;
    const attempt = audited(actor, action, () => {
      acted = true;
      return Promise.resolve({ value: null, outcome: { kind: "done", effect: {} } });
    });
    await expect(attempt).rejects.toThrow(UsageError);
    await expect(attempt).rejects.toThrow(/^Nothing was done, because .*no leader/);
    expect(acted).toBe(false);
    expect(warned).toEqual([]);
  });

  test("stands when its outcome cannot be written, with a warning", async () => {
    const { audited, warned } = topic(({ outcome }) => outcome !== null);
    await expect(
      audited(actor, action, () => Promise.resolve({ value: "done", outcome: { kind: "done", effect: {} } })),
    ).resolves.toBe("done");
    expect(warned).toEqual([expect.stringContaining("no leader")]);
  });

  test("that throws ends as failed, with the reason", async () => {
    const { audited, entries } = topic();
    await expect(audited(actor, action, () => Promise.reject(new Error("cut off")))).rejects.toThrow(
      "cut off",
    );
    expect(entries.map(({ outcome }) => outcome)).toEqual([null, { kind: "failed", reason: "cut off" }]);
  });
});

test("an entry is a CloudEvent in structured mode", () => {
  const envelope = { id: "e-1", source: "/cambio-bridge/g", timeMs: Date.UTC(2026, 0, 2) };
  const entry = { actionId: "a-1", actor, action, outcome: null };
  expect(JSON.parse(auditEvent(entry, envelope))).toEqual({
    specversion: "1.0",
    id: "e-1",
    source: "/cambio-bridge/g",
    type: "cambio.bridge.v1.OperatorActionRequested",
    time: "2026-01-02T00:00:00.000Z",
    subject: "commands",
    datacontenttype: "application/json",
    data: {
      actionId: "a-1",
      action: "pause",
      by: "ana",
      note: "seen in the partner's portal",
      from: { host: "h", user: "u", program: "cli" },
      parameters: { until: null },
    },
  });
  const outcome = { kind: "refused", reason: "no such doubt" } as const;
  expect(JSON.parse(auditEvent({ ...entry, outcome }, envelope))).toMatchObject({
    type: "cambio.bridge.v1.OperatorActionEnded",
    data: { outcome },
  });
});
