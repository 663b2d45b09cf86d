import { describe, expect, test } from "vitest";
import type { Actor } from "../../../src/operator/action.ts";
import { audited, type AuditEntry } from "../../../src/operator/audit.ts";
import { auditEvent } from "../../../src/operator/audit-event.ts";
import {
  createDecisionRequests,
  canonicalName,
  readRequestEntry,
  PROPOSAL_MS,
} from "../../../src/operator/decision-requests.ts";
import {
  refusalOf,
  type ResolveRequest,
  type ResolveOutcome,
} from "../../../src/operator/resolve-outcome.ts";
import { resolve } from "../../../src/operator/resolve-doubt.ts";
import type { CommandResult } from "../../../src/records.ts";
import { randomFrom } from "../../support/random.ts";

const HOUR_MS = 3_600_000;
const result = { outcome: "SUCCEEDED", resultId: "r", quoteId: "q-1" } as CommandResult;

/** A doubt about one quote, the audit topic, and time. Everybody reads the topic for himself. */
const world = ({ quoteId = "q-1", isYoung = false }: { quoteId?: string | null; isYoung?: boolean } = {}) => {
  const topic: { text: string; atMs: number }[] = [];
  let nowMs = 1_000_000_000_000;
  let ids = 0;
  let settled: ResolveOutcome | null = null;
  let isWanted = true;
  let ended: { by: string; as: ResolveRequest["as"]; force: boolean } | null = null;

  const readUpTo = (offset: number) => {
    const requests = createDecisionRequests((quote) => quote.toLowerCase());
    for (const [index, { text, atMs }] of topic.slice(0, offset + 1).entries())
      requests.take(readRequestEntry(text, { place: { partition: 0, offset: index }, atMs }));
    return requests;
  };
  const write = (entry: AuditEntry) => {
    topic.push({ text: auditEvent(entry, { id: "e", source: "/s", timeMs: 0 }), atMs: nowMs });
    return Promise.resolve({ partition: 0, offset: topic.length - 1 });
  };
  /** `meanwhile`: between the request and its reading of the topic. */
  const say = (
    by: string,
    as: ResolveRequest["as"],
    over: Partial<ResolveRequest> = {},
    meanwhile: () => Promise<unknown> = () => Promise.resolve(),
  ): Promise<ResolveOutcome> => {
    const actor: Actor = { by, role: "operator", note: "n", from: { host: "h", user: "u", program: "cli" } };
    return resolve({
      audited: audited({ write, newId: () => `a-${++ids}`, warn: () => undefined }),
      fourEyes: {
        isWanted,
        readUpTo: ({ offset }) => Promise.resolve(readUpTo(offset)),
        placeText: ({ partition, offset }) => `audit[${partition}]@${offset}`,
      },
      decide: async (asked, { by }, permit): Promise<ResolveOutcome> => {
        await meanwhile();
        if (settled) return settled;
        if (ended) return { kind: "decided", result, note: ended.by, place: "journal[0]@1" };
        const permitted = await permit({ quoteId });
        if (permitted.kind === "proposed") return permitted;
        if (isYoung && !permitted.force)
          return { kind: "tooYoung", ageMs: 1_000, neededMs: 60_000, lost: null };
        ended = { by, as: asked.as, force: permitted.force };
        return { kind: "resolved", result, place: "journal[0]@1", published: "results[0]@1" };
      },
    })(actor, { commandId: "c-1", quoteId, as, force: false, ...over });
  };
  return {
    say,
    saying: async (...args: Parameters<typeof say>): Promise<string> => {
      const ended = await say(...args);
      return refusalOf({ commandId: "c-1", quoteId: null, as: args[1] }, ended) ?? ended.kind;
    },
    /** What the journal says instead of the doubt. */
    settle: (ended: ResolveOutcome | null) => void (settled = ended),
    /** Whether the next one has the setting. */
    want: (yes: boolean) => void (isWanted = yes),
    pass: (ms: number) => void (nowMs += ms),
    ended: () => ended,
    outcomes: () =>
      topic.map(({ text }) => (JSON.parse(text) as { data: { outcome?: { kind: string } } }).data.outcome),
    proposals: () => readUpTo(topic.length).proposals("c-1", nowMs),
  };
};

describe("with four eyes", () => {
  test("a second operator decides", async () => {
    const { say, ended, outcomes, proposals } = world();
    const first = await say("ana", "succeeded");
    expect(first).toMatchObject({ kind: "proposed", why: { kind: "alone" }, place: "audit[0]@0" });
    expect(refusalOf({ commandId: "c-1", quoteId: null, as: "succeeded" }, first)).toMatch(
      /^Command c-1 is not decided yet: a second operator must say succeeded as well, .* until 2001-09-10T/,
    );
    expect(ended()).toBeNull();
    expect(outcomes()[1]).toMatchObject({
      kind: "proposed",
      quoteId: "q-1",
      until: expect.any(String) as string,
    });
    expect(proposals()).toMatchObject([{ by: "ana", as: "succeeded", quoteId: "q-1" }]);

    expect(await say("ben", "succeeded")).toMatchObject({ kind: "resolved" });
    expect(ended()).toMatchObject({ by: "ben", as: "succeeded" });
    expect(outcomes()[3]).toMatchObject({
      kind: "done",
      effect: { confirms: { by: "ana", actionId: "a-1" } },
    });
    expect(proposals()).toEqual([]);
    expect(await say("cyn", "succeeded")).toMatchObject({ kind: "decided" });
  });

  test("a process without the setting respects an open proposal, but no expired one", async () => {
    const { say, want, pass, ended } = world();
    await say("ana", "succeeded");
    want(false);
    expect(await say("ana", "succeeded", { force: true })).toMatchObject({ kind: "proposed" });
    expect(await say("ana", "not-executed")).toMatchObject({ kind: "proposed" });
    expect(ended()).toBeNull();
    pass(25 * 3_600_000);
    expect(await say("ana", "not-executed")).toMatchObject({ kind: "resolved" });
  });

  test("who is told of --force for not-executed is told when it is safe", () => {
    const young = { kind: "tooYoung", ageMs: 1_000, neededMs: 60_000 } as const;
    const sentence = (as: ResolveRequest["as"], lost = "OWNER_LOST") =>
      refusalOf({ commandId: "c-1", quoteId: null, as }, { ...young, lost });
    expect(sentence("not-executed")).toMatch(
      /on a frozen replica: .*--force if it is certain that no replica .* and the partner says that it will not/,
    );
    expect(sentence("not-executed", "ANSWER_LOST")).toMatch(
      /might still be held by the partner, or by a proxy before it: .*--force if the partner says that it will not/,
    );
    expect(sentence("not-executed", "ANSWER_LOST")).not.toContain("replica");
    expect(sentence("succeeded")).toMatch(
      /began 1 s ago .*: run it again in 59 s, when it is 1 min 0 s old, or give --force\.$/,
    );
  });

  test("without the setting and without a proposal one operator is enough", async () => {
    const { say, want } = world();
    want(false);
    expect(await say("ana", "succeeded")).toMatchObject({ kind: "resolved" });
  });

  test.each([
    "ana",
    " ana ",
    "ANA",
    "\u{ff21}na",
    "a\u200bna",
    "\u202eana",
    "ana\u00ad",
    "a\u034fna",
    "\u0007ana",
  ])("%j is ana, who stays alone", async (name) => {
    const { say, ended } = world();
    for (const by of ["ana", name, name]) expect((await say(by, "succeeded")).kind).toBe("proposed");
    expect(ended()).toBeNull();
  });

  test("names are compared without case, width and invisible characters", () => {
    expect(canonicalName("Straße")).toBe(canonicalName("STRASSE"));
    expect(canonicalName("ana  maria")).toBe(canonicalName("Ana\u00a0Maria"));
    expect(canonicalName("ana")).not.toBe(canonicalName("anna"));
  });

  test("an opposite request of another person blocks the decision until one of them agrees", async () => {
    const { say, saying, ended, proposals } = world();
    await say("ana", "succeeded");
    expect(await saying("ben", "not-executed")).toContain("ana says succeeded, you say not-executed");
    expect(await saying("cyn", "succeeded")).toContain("ben says not-executed");
    expect(proposals().map(({ by, as }) => `${by} ${as}`)).toEqual([
      "ana succeeded",
      "ben not-executed",
      "cyn succeeded",
    ]);
    expect(ended()).toBeNull();
    await say("ana", "not-executed");
    expect(ended()).toBeNull();
    expect((await say("cyn", "not-executed")).kind).toBe("resolved");
    expect(ended()).toMatchObject({ as: "not-executed", by: "cyn" });
  });

  test("a proposal is open for a day", async () => {
    const { say, pass, ended, proposals } = world();
    await say("ana", "succeeded");
    pass(PROPOSAL_MS);
    expect(proposals()).toEqual([]);
    expect((await say("ben", "succeeded")).kind).toBe("proposed");
    pass(PROPOSAL_MS - 1);
    expect((await say("ana", "succeeded")).kind).toBe("resolved");
    expect(ended()).toMatchObject({ by: "ana" });
  });

  test("of two simultaneous requests one decides", async () => {
    const { say, ended, outcomes } = world();
    let second: ResolveOutcome | null = null;
    const first = await say("ana", "succeeded", {}, async () => {
      second = await say("ben", "succeeded");
    });
    expect(second).toMatchObject({ kind: "resolved" });
    expect(first).toMatchObject({ kind: "decided" });
    expect(ended()).toMatchObject({ by: "ben" });
    expect(outcomes().map((outcome) => outcome?.kind)).toEqual([undefined, undefined, "done", "refused"]);
  });

  test("a request about another quote is another decision, however the quote is spelled", async () => {
    const { say } = world({ quoteId: "q-1" });
    const other = world({ quoteId: "q-2" });
    await say("ana", "succeeded", { quoteId: "Q-1" });
    await other.say("ana", "succeeded");
    expect((await other.say("ben", "succeeded", { quoteId: null })).kind).toBe("resolved");
    expect((await say("ben", "succeeded", { quoteId: null })).kind).toBe("resolved");
    const none = world({ quoteId: null });
    await none.say("ana", "succeeded", { quoteId: "q-1" });
    expect((await none.say("ben", "succeeded")).kind).toBe("proposed");
  });

  test("force needs both people, and a claim that is too young drops no proposal", async () => {
    const { say, saying, ended, outcomes } = world({ isYoung: true });
    await say("ana", "succeeded", { force: true });
    expect(await saying("ben", "succeeded")).toMatch(
      /ana said succeeded as well, .* began 1 s ago .* again in 59 s, when it is 1 min 0 s old, or both/,
    );
    expect(outcomes().at(-1)).toMatchObject({ kind: "proposed" });
    expect((await say("cyn", "succeeded")).kind).toBe("proposed");
    expect(ended()).toBeNull();
    expect((await say("ben", "succeeded", { force: true })).kind).toBe("resolved");
    expect(ended()).toMatchObject({ by: "ben", force: true });
  });

  test("a refused request is no proposal", async () => {
    const { say, ended, settle } = world();
    settle({ kind: "underWay" });
    expect((await say("ana", "succeeded")).kind).toBe("underWay");
    settle(null);
    expect((await say("ben", "succeeded")).kind).toBe("proposed");
    expect(ended()).toBeNull();
  });

  test("nobody decides alone, in any order of requests", async () => {
    const names = [["ana", "Ana", "ana ", "a\u200dna"], ["ben", "BEN"], ["cyn"]] as const;
    let decisions = 0;
    for (let seed = 0; seed < 150; seed += 1) {
      const random = randomFrom(seed);
      const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T;
      const { say, pass, ended } = world({ isYoung: random() < 0.5 });
      const said: { person: number; as: ResolveRequest["as"]; force: boolean; atMs: number }[] = [];
      let nowMs = 0;
      for (let step = 0; step < 12 && ended() === null; step += 1) {
        const person = Math.floor(random() * (random() < 0.5 ? 1 : names.length));
        const as = pick(["succeeded", "not-executed"] as const);
        const force = random() < 0.3;
        const words = { person, as, force, atMs: nowMs };
        await say(pick(names[person] ?? []), as, { force, quoteId: pick(["q-1", "Q-1", null]) });
        const decided = ended();
        if (decided !== null) {
          decisions += 1;
          const others = said.filter((one) => one.person !== person && nowMs - one.atMs < PROPOSAL_MS);
          expect(
            others.some((one) => one.as === as),
            `seed ${seed}`,
          ).toBe(true);
          if (decided.force) expect(force && others.some((one) => one.force && one.as === as)).toBe(true);
          const last = new Map(others.map((one) => [one.person, one.as]));
          expect([...last.values()], `seed ${seed}`).not.toContain(
            as === "succeeded" ? "not-executed" : "succeeded",
          );
        }
        said.push(words);
        const ms = Math.floor(random() * 10 * HOUR_MS);
        pass(ms);
        nowMs += ms;
      }
    }
    expect(decisions).toBeGreaterThan(20);
  });
});

test("other entries, and those of later versions, are ignored", () => {
  const at = { place: { partition: 0, offset: 0 }, atMs: 0 };
  const data = { actionId: "a", action: "resolve", by: "ana", parameters: { as: "succeeded" } };
  for (const text of [
    "",
    "null",
    "{",
    "[]",
    JSON.stringify({ subject: "c", data: { ...data, by: 7 } }),
    JSON.stringify({ subject: "c", data: { ...data, action: "pause" } }),
    JSON.stringify({ subject: "c", data: { ...data, parameters: { as: "maybe" } } }),
    JSON.stringify({ subject: "c", data: { ...data, parameters: null } }),
    JSON.stringify({ subject: "c", data: { ...data, outcome: "done" } }),
    JSON.stringify({ data }),
  ])
    expect(readRequestEntry(text, at), text).toEqual({ kind: "other" });
});

test("entries after a request do not count for it, however far the topic was read", () => {
  const requests = createDecisionRequests((quote) => quote);
  const ask = (by: string, offset: number): void => {
    const at = { place: { partition: 0, offset }, atMs: 7 };
    const data = { actionId: by, action: "resolve", by, parameters: { as: "succeeded", quoteId: null } };
    requests.take(readRequestEntry(JSON.stringify({ subject: "c", data }), at));
  };
  ["ana", "ben", "cyn"].forEach(ask);
  const before = (by: string) => {
    const own = requests.find(by);
    return own && requests.before({ commandId: "c", quoteId: null }, own).map((request) => request.by);
  };
  expect([before("ana"), before("ben"), before("cyn")]).toEqual([[], ["ana"], ["ana", "ben"]]);
});
