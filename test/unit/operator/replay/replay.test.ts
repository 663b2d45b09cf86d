import { describe, expect, test } from "vitest";
import type { Clock } from "../../../../src/runtime/clock.ts";
import { systemClock } from "../../../../src/runtime/clock.ts";
import { audited, type AuditEntry } from "../../../../src/operator/audit.ts";
import { auditEvent } from "../../../../src/operator/audit-event.ts";
import { createClaims, type LetterEnd } from "../../../../src/operator/replay/claims.ts";
import { readClaimsEntry } from "../../../../src/operator/replay/claims-entry.ts";
import { refOf, type DeadLetter } from "../../../../src/operator/replay/dead-letter.ts";
import { findSent } from "../../../../src/operator/replay/find-sent.ts";
import { replay } from "../../../../src/operator/replay/replay.ts";
import { letter } from "./letters.ts";

/** Both topics, and time. What is written is there at once; everybody reads it for himself. */
const world = () => {
  const audit: { text: string; timestampMs: number }[] = [];
  const target: string[] = [];
  let nowMs = 1_000_000;
  const clock: Clock = {
    ...systemClock,
    now: () => nowMs,
    monotonic: () => nowMs,
    sleep: (ms) => {
      nowMs += ms;
      return Promise.resolve();
    },
  };

  /** Somebody who replays. `onSend` happens before a letter is sent, and may throw to be killed. */
  const person = (by: string, onSend: (text: string) => LetterEnd | undefined = () => undefined) => {
    const claims = createClaims();
    let next = 0;
    const read = (until: number): void => {
      for (; next < until; next += 1) {
        const { text, timestampMs } = audit[next] ?? { text: "", timestampMs: 0 };
        claims.take(readClaimsEntry(text, { offset: next, timestampMs }));
      }
    };
    const ended: [string, LetterEnd["end"]][] = [];
    let dead = false;
    let ids = 0;
    const actor = {
      by,
      role: "operator" as const,
      note: "n",
      from: { host: "h", user: "u", program: "cli" },
    };
    const write = (entry: AuditEntry) => {
      if (dead) return Promise.reject(new Error("dead"));
      audit.push({ text: auditEvent(entry, { id: "e", source: "/s", timeMs: 0 }), timestampMs: nowMs });
      return Promise.resolve({ partition: 0, offset: audit.length - 1 });
    };
    const stop = new AbortController();
    const run = (letters: readonly DeadLetter[], again = false, held: readonly DeadLetter[] = []) =>
      replay(
        {
          send: letters.map((each) => ({ letter: each, topic: "commands" })),
          skipped: [],
          held: held.map((each) => ({ letter: each, topic: "commands" })),
          warnings: new Map(),
        },
        { actor, again, ratePerSecond: 100 },
        {
          clock,
          claims,
          audited: audited({ write, newId: () => `${by}-${++ids}`, warn: () => undefined }),
          untilRead: (offset) => {
            read(offset + 1);
            return Promise.resolve();
          },
          ends: () => Promise.resolve({ "0": target.length }),
          read: (planned) =>
            Promise.resolve({
              ...planned,
              digest: planned.letter.preview,
              key: planned.letter.detail,
              send: () => {
                if (dead) return Promise.reject(new Error("dead"));
                const instead = onSend(planned.letter.preview);
                if (instead) return Promise.resolve(instead);
                target.push(planned.letter.preview);
                return Promise.resolve({ end: "sent", place: `commands[0]@${target.length - 1}` });
              },
            }),
          lookUp: (topic, atMs) => {
            read(audit.length);
            const look = findSent(claims, topic, atMs);
            target.forEach((digest, offset) => look.see(digest, { partition: 0, offset }));
            return Promise.resolve(look.findings());
          },
          ended: ({ letter: { place } }, { end }) => void ended.push([refOf(place), end]),
        },
        stop.signal,
      );
    return { run, ended, stop, die: () => (dead = true) };
  };
  return { person, target, audit, wait: (ms: number) => (nowMs += ms) };
};

const of = (offset: number, text = `letter ${offset}`, key = text): DeadLetter =>
  letter(offset, { preview: text, detail: key });
const some = (count: number): DeadLetter[] => Array.from({ length: count }, (_, offset) => of(offset));
const texts = (letters: readonly DeadLetter[]): string[] => letters.map(({ preview }) => preview);

describe("letters are sent", () => {
  test("each once, in their order, in batches that are claimed and concluded", async () => {
    const { person, target, audit } = world();
    const letters = some(250);
    expect(await person("ana").run(letters)).toEqual({ unsent: 0, reason: null });
    expect(target).toEqual(texts(letters));
    expect(audit).toHaveLength(6);
    const bob = person("bob");
    await bob.run(letters);
    expect(target).toHaveLength(250);
    expect(new Set(bob.ended.map(([, end]) => end))).toEqual(new Set(["left"]));
    await bob.run(letters.slice(0, 1), true);
    expect(target).toHaveLength(251);
  });

  test("once when a replay is killed between any two of them, whether or not the bytes had left", async () => {
    for (const leaves of [true, false])
      for (const at of [0, 1, 57, 99, 100, 149]) {
        const { person, target, wait } = world();
        const letters = some(150);
        const ana = person("ana", (text) => {
          if (text !== `letter ${at}`) return undefined;
          if (leaves) target.push(text);
          ana.die();
          throw new Error("killed");
        });
        await expect(ana.run(letters)).rejects.toThrow("killed");
        const soon = person("bob");
        await soon.run(letters);
        wait(60_000);
        await person("cid").run(letters);
        expect([...target].sort(), `${at}`).toEqual(texts(letters).sort());
      }
  });

  test("once when two replays run at once", async () => {
    const { person, target } = world();
    const letters = some(350);
    const [ana, bob] = [person("ana"), person("bob")];
    await Promise.all([ana.run(letters), bob.run([...letters].reverse()), person("cid").run(letters)]);
    await person("dan").run(letters);
    expect([...target].sort()).toEqual(texts(letters).sort());
  });

  test("as often as there are letters with the same bytes, also after a replay died", async () => {
    const { person, target, wait } = world();
    const letters = [0, 1, 2].map((offset) => of(offset, "same"));
    let sends = 0;
    const ana = person("ana", () => {
      if (++sends < 2) return undefined;
      ana.die();
      throw new Error("killed");
    });
    await expect(ana.run(letters)).rejects.toThrow("killed");
    wait(60_000);
    const bob = person("bob");
    await bob.run(letters);
    expect(target).toEqual(["same", "same", "same"]);
    expect(bob.ended.map(([, end]) => end)).toEqual(["found", "sent", "sent"]);
  });
});

describe("nothing is sent", () => {
  test("by a replay that was frozen for half of the lease, until it is claimed anew", async () => {
    const { person, target, audit, wait } = world();
    const ana = person("ana", (text) => {
      if (text === "letter 1" && audit.length === 1) wait(30_000);
      return undefined;
    });
    expect(await ana.run(some(4))).toEqual({ unsent: 0, reason: null });
    expect(target).toEqual(texts(some(4)));
    // Claimed, concluded as far as it came, and once more.
    expect(audit).toHaveLength(4);
  });

  test("of a key while another replay is sending an earlier letter of it", async () => {
    const { person, target } = world();
    const first = of(0, "first", "k");
    const ana = person("ana", () => ({ end: "unknown", reason: "no acknowledgement" }));
    expect(await ana.run([first])).toMatchObject({ unsent: 0, reason: "no acknowledgement" });
    const bob = person("bob");
    await bob.run([first, of(1, "second", "k"), of(2, "other", "o")]);
    expect(target).toEqual(["other"]);
    expect(bob.ended).toEqual([
      ["0/0", "left"],
      ["0/1", "left"],
      ["0/2", "sent"],
    ]);
    // Known from the plan already, or from an earlier batch.
    const cid = person("cid");
    await cid.run([of(1, "second", "k"), of(3, "third", "k")], false, [first]);
    expect(cid.ended.map(([, end]) => end)).toEqual(["left", "left"]);
    expect(target).toEqual(["other"]);
  });

  test("after one that was not acknowledged, or when it is cancelled; the rest is free at once", async () => {
    const { person, target } = world();
    const ana = person("ana", (text) => {
      if (text === "letter 1") ana.stop.abort();
      return undefined;
    });
    expect(await ana.run(some(5))).toEqual({ unsent: 3, reason: "cancelled" });
    expect(target).toHaveLength(2);
    const bob = person("bob", (text) =>
      text === "letter 3" ? { end: "unknown", reason: "no acknowledgement" } : undefined,
    );
    expect(await bob.run(some(5))).toEqual({ unsent: 1, reason: "no acknowledgement" });
    await person("cid").run([of(4)]);
    expect(target).toEqual(["letter 0", "letter 1", "letter 2", "letter 4"]);
  });

  test("without its claim in the audit topic", async () => {
    const { person, target } = world();
    const ana = person("ana");
    ana.die();
    await expect(ana.run(some(3))).rejects.toThrow("Nothing was done");
    expect(target).toEqual([]);
  });
});
