import { describe, expect, test } from "vitest";
import { createClaims, type LetterEnd } from "../../../../src/operator/replay/claims.ts";
import { claimAction, claimOutcome, readClaimsEntry } from "../../../../src/operator/replay/claims-entry.ts";
import { auditEvent } from "../../../../src/operator/audit-event.ts";
import { findSent } from "../../../../src/operator/replay/find-sent.ts";
import { claim, sentTo } from "./letters.ts";

const LEASE_MS = 60_000;

const made = () => {
  const claims = createClaims();
  return {
    claims,
    claims_: (actionId: string, offset: number, atMs: number, letters: Record<string, string>) =>
      claims.take({ kind: "claim", claim: claim(actionId, offset, atMs, letters) }),
    ends: (actionId: string, ends: Record<string, LetterEnd>) =>
      claims.take({ kind: "end", actionId, ends, isRefused: false }),
    at: (ref: string, offset: number, atMs: number) => claims.standing(ref, { offset, atMs }),
  };
};

describe("a letter", () => {
  test("is free until it is claimed; later claims do not matter to the first one", () => {
    const { claims_, at } = made();
    claims_("ana", 5, 0, { "0/1": "d" });
    claims_("bob", 6, 1, { "0/1": "d" });
    expect(at("0/1", 5, 0)).toEqual({ kind: "free" });
    expect(at("0/1", 6, 1)).toMatchObject({ kind: "atWork", by: "ana" });
    expect(at("0/2", 6, 1)).toEqual({ kind: "free" });
  });

  test("is sent once its claim ended so, and names the first who sent it", () => {
    const { claims, claims_, ends, at } = made();
    claims_("ana", 5, 0, { "0/1": "d", "0/2": "e" });
    ends("ana", { "0/1": sentTo(7), "0/2": { end: "left", reason: "cancelled" } });
    expect(at("0/1", 9, 1)).toMatchObject({ kind: "sent", sent: { by: "ana", where: "commands[0]@7" } });
    expect(at("0/2", 9, 1)).toEqual({ kind: "free" });
    claims_("bob", 10, 2, { "0/1": "d" });
    ends("bob", { "0/1": sentTo(8) });
    expect(at("0/1", 12, 2)).toMatchObject({ kind: "sent", sent: { by: "ana" } });
    expect(claims.sent("0/1").map(({ by }) => by)).toEqual(["ana", "bob"]);
  });

  test("is in work while the lease runs, and unsettled after it", () => {
    const { claims_, ends, at } = made();
    claims_("ana", 5, 1_000, { "0/1": "d", "0/2": "e" });
    expect(at("0/1", 6, 1_000 + LEASE_MS - 1)).toMatchObject({ kind: "atWork" });
    expect(at("0/1", 6, 1_000 + LEASE_MS)).toMatchObject({ kind: "unsettled" });
    // Not acknowledged: as if its claimant had died.
    ends("ana", { "0/1": { end: "unknown", reason: "no answer" }, "0/2": sentTo(1) });
    expect(at("0/1", 8, 1_000)).toMatchObject({ kind: "atWork" });
    expect(at("0/1", 8, 1_000 + LEASE_MS)).toMatchObject({ kind: "unsettled" });
    expect(at("0/2", 8, 1_000)).toMatchObject({ kind: "sent" });
  });

  test("is free again when its claim was refused, and stays claimed when it failed", () => {
    const { claims, claims_, at } = made();
    claims_("ana", 1, 0, { "0/1": "d" });
    claims_("bob", 2, 0, { "0/2": "d" });
    claims.take({ kind: "end", actionId: "ana", ends: null, isRefused: true });
    claims.take({ kind: "end", actionId: "bob", ends: null, isRefused: false });
    expect(at("0/1", 9, 0)).toEqual({ kind: "free" });
    expect(at("0/2", 9, 0)).toMatchObject({ kind: "atWork" });
  });

  test("of a claim that was written twice counts from the first one", () => {
    const { claims_, ends, at } = made();
    claims_("ana", 1, 0, { "0/1": "d" });
    claims_("bob", 2, 0, { "0/1": "d" });
    claims_("ana", 3, 0, { "0/1": "d" });
    expect(at("0/1", 1, 0)).toEqual({ kind: "free" });
    expect(at("0/1", 2, 0)).toMatchObject({ kind: "atWork", by: "ana" });
    ends("ana", { "0/1": { end: "left", reason: "cancelled" } });
    expect(at("0/1", 2, 0)).toEqual({ kind: "free" });
  });
});

describe("the topic", () => {
  const found = (look: ReturnType<typeof findSent>) =>
    [...look.findings()].map(([ref, { place }]) => [ref, place]);

  test("tells which letters of dead claims were sent, from the offsets of their claims on", () => {
    const { claims, claims_ } = made();
    claims_("ana", 1, 0, { "0/1": "d", "0/2": "e" });
    const look = findSent(claims, "commands", LEASE_MS);
    expect(look.from).toEqual({ 0: 100 });
    look.see("d", { partition: 0, offset: 99 });
    look.see("e", { partition: 0, offset: 100 });
    expect(found(look)).toEqual([
      ["0/1", null],
      ["0/2", "commands[0]@100"],
    ]);
    expect(findSent(claims, "elsewhere", LEASE_MS).from).toBeNull();
    expect(findSent(claims, "commands", LEASE_MS - 1).from).toBeNull();
  });

  test("never lets one record stand for two letters with the same bytes", () => {
    const { claims, claims_, ends } = made();
    claims_("ana", 1, 0, { "0/1": "d", "0/2": "d" });
    claims_("bob", 2, 0, { "0/3": "d" });
    ends("bob", { "0/3": sentTo(101) });
    const look = findSent(claims, "commands", LEASE_MS);
    look.see("d", { partition: 0, offset: 101 });
    look.see("d", { partition: 0, offset: 102 });
    expect(found(look)).toEqual([
      ["0/1", "commands[0]@102"],
      ["0/2", null],
    ]);
  });

  test("does not decide on bytes that a live claim may be sending", () => {
    const { claims, claims_ } = made();
    claims_("ana", 1, 0, { "0/1": "d", "0/2": "e" });
    claims_("bob", 2, LEASE_MS, { "0/3": "d" });
    expect(found(findSent(claims, "commands", LEASE_MS))).toEqual([["0/2", null]]);
  });

  test("is searched once for a letter of two dead claims, from the earlier one on", () => {
    const { claims, claims_ } = made();
    claims_("ana", 1, 0, { "0/1": "d" });
    claims.take({
      kind: "claim",
      claim: { ...claim("bob", 2, 1, { "0/1": "d" }), ends: { 0: 200, 1: 5 } },
    });
    const look = findSent(claims, "commands", 2 * LEASE_MS);
    expect(look.from).toEqual({ 0: 100, 1: 0 });
    look.see("d", { partition: 0, offset: 150 });
    expect(look.findings().get("0/1")).toMatchObject({ place: "commands[0]@150" });
    expect(look.findings().get("0/1")?.claims.size).toBe(2);
  });
});

describe("an entry of the audit topic", () => {
  const actor = {
    by: "ana",
    role: "operator" as const,
    note: "n",
    from: { host: "h", user: "u", program: "cli" },
  };
  const parameters = { topic: "commands", ends: { 0: 5 }, letters: { "0/1": "d" }, leaseMs: 60_000 };
  const action = claimAction(parameters, false);
  const envelope = { id: "e", source: "/s", timeMs: 0 };
  const at = { offset: 3, timestampMs: 4 };
  const entry = { actionId: "a", actor, action };

  test("is read as it was written", () => {
    const asked = auditEvent({ ...entry, outcome: null }, envelope);
    expect(action.subject).toBe("0/1");
    expect(readClaimsEntry(asked, at)).toEqual({
      kind: "claim",
      claim: { actionId: "a", by: "ana", offset: 3, atMs: 4, ...parameters },
    });
    const outcome = claimOutcome("commands", new Map([["0/1", sentTo(9)]]));
    expect(readClaimsEntry(auditEvent({ ...entry, outcome }, envelope), at)).toEqual({
      kind: "end",
      actionId: "a",
      isRefused: false,
      ends: { "0/1": sentTo(9) },
    });
    const nothing = claimOutcome("commands", new Map([["0/1", { end: "left", reason: "cancelled" }]]));
    expect(nothing).toEqual({ kind: "refused", reason: "cancelled" });
    const refused = auditEvent({ ...entry, outcome: nothing }, envelope);
    expect(readClaimsEntry(refused, at)).toMatchObject({ kind: "end", isRefused: true });
    const failed = auditEvent({ ...entry, outcome: { kind: "failed", reason: "cut" } }, envelope);
    expect(readClaimsEntry(failed, at)).toMatchObject({ kind: "end", isRefused: false, ends: null });
  });

  test.each([
    "",
    "{",
    "null",
    "[]",
    '{"data":7}',
    '{"data":{"action":"replay","actionId":7,"by":"x"}}',
    '{"data":{"action":"pause","actionId":"a","by":"x"}}',
    '{"data":{"action":"replay","actionId":"a","by":"x","parameters":{"topic":"t","leaseMs":1,"ends":{"0":"x"},"letters":{}}}}',
  ])("that is none of a replay is passed over: %s", (text) => {
    expect(readClaimsEntry(text, at)).toEqual({ kind: "other" });
  });
});
