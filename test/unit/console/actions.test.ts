import { describe, expect, test } from "vitest";
import { Forbidden } from "../../../src/operator/forbidden.ts";
import { UsageError } from "../../../src/runtime/errors.ts";
import { aDoubt, resultOf } from "../../support/console-fakes.ts";
import { openConsole, tokenIn } from "./browser.ts";

const ID = "order-71-accept";
const QUOTE = "9f1c2a44-0d1e-4a52-8a51-0c2f8c7a1c11";
const word = (token: string, of: Record<string, string> = {}) => ({
  token,
  id: ID,
  commandId: ID,
  quote: QUOTE,
  as: "succeeded",
  note: "FX-1: by phone",
  ...of,
});

const open = (of: Parameters<typeof openConsole>[0] = {}) => {
  const console = openConsole(of);
  const ana = console.as("ana");
  const end = async (fields: Record<string, string> = {}) =>
    ana.post("/doubts", word(await ana.token(`/doubts/${ID}`), fields));
  const outcome = async (answer: Response) => {
    expect(answer.status).toBe(303);
    return ana.text(answer.headers.get("location")!);
  };
  return { ...console, ana, end, outcome };
};

describe("who may act", () => {
  test("a viewer sees no form, and is refused at the server", async () => {
    const { as, did } = open();
    const vic = as("vic");
    expect(await vic.text(`/doubts/${ID}`)).toContain("You are a viewer");
    for (const path of [
      "/doubts",
      "/pauses",
      "/dead-letters/plans",
      "/dead-letters/runs",
      "/dead-letters/runs/cancel",
    ])
      expect((await vic.post(path, word("x"))).status, path).toBe(403);
    expect(did).toEqual([]);
  });

  test("`by`, role and place are never taken from the form", async () => {
    const { end, did } = open();
    await end({ by: "bia", role: "operator", from: "elsewhere" });
    expect(did[0]).toMatchObject({
      actor: {
        by: "ana",
        role: "operator",
        note: "FX-1: by phone",
        from: { host: "here", user: "me", program: "console", address: "10.0.0.9" },
      },
    });
  });

  test("behind a proxy that signs in, the address is the one that the proxy saw", async () => {
    const auth = {
      kind: "proxy-header",
      header: "x-user",
      isTrusted: () => true,
      operators: ["ana"],
    } as const;
    const { send, did } = openConsole({ auth });
    const proxied = {
      host: "console.test",
      "sec-fetch-site": "same-origin",
      "x-forwarded-for": "6.6.6.6, 192.0.2.7",
    };
    const rawHeaders = ["x-user", "ana"];
    const page = await send(`/doubts/${ID}`, { headers: proxied, rawHeaders });
    const form = new URLSearchParams(word(tokenIn(await page.text()))).toString();
    const headers = { ...proxied, "content-type": "application/x-www-form-urlencoded" };
    await send("/doubts", { method: "POST", headers, rawHeaders, body: form });
    expect(did[0]).toMatchObject({ actor: { by: "ana", from: { address: "192.0.2.7" } } });
  });

  test("a token of another user or another form, or a changed one, is refused", async () => {
    const { ana, as, did } = open();
    const others = await as("bia").token(`/doubts/${ID}`);
    const other = await ana.token("/doubts/order-80-accept");
    const own = await ana.token(`/doubts/${ID}`);
    const [id, expires, signature] = own.split(".");
    for (const token of [
      "",
      "a.b.c",
      others,
      other,
      `${id}.${Number(expires) + 1}.${signature}`,
      `${id}x.${expires}.${signature}`,
    ]) {
      const answer = await ana.post("/doubts", word(token));
      expect(answer.status, token).toBe(409);
      expect(await answer.text()).toContain("nothing was done");
    }
    expect(did).toEqual([]);
  });
});

describe("where a form may come from", () => {
  const asked = async (headers: Record<string, string>, origin: string | null = null) => {
    const { as, ana, did } = open({ origin });
    const token = await ana.token(`/doubts/${ID}`);
    const { status } = await as("ana", headers).post("/doubts", word(token));
    expect(did.length).toBe(status === 303 ? 1 : 0);
    return status;
  };
  const host = "console.test:8091";

  test.each([
    ["the browser says same-origin", { host, "sec-fetch-site": "same-origin" }],
    ["the origin is the host", { host, origin: "http://console.test:8091" }],
    ["TLS ends before it", { host: "console.test", origin: "https://console.test" }],
    ["the scheme's own port is named", { host: "console.test:443", origin: "https://console.test" }],
  ])("%s: taken", async (_, headers) => {
    expect(await asked(headers)).toBe(303);
  });

  test.each([
    ["neither is there", { host }],
    ["another site", { host, "sec-fetch-site": "cross-site" }],
    [
      "another host of this site",
      { host, "sec-fetch-site": "same-site", origin: "http://console.test:8091" },
    ],
    ["no page at all", { host, "sec-fetch-site": "none" }],
    ["another origin", { host, origin: "http://evil.test" }],
    ["another port", { host, origin: "http://console.test:9" }],
    ["an origin that is kept secret", { host, origin: "null" }],
    ["what only looks like it", { host, origin: "http://console.test:8091@evil.test" }],
    ["X-Forwarded-Host", { host, origin: "http://evil.test", "x-forwarded-host": "evil.test" }],
  ])("%s: refused", async (_, headers) => {
    expect(await asked(headers)).toBe(403);
  });

  test("CONSOLE_ORIGIN decides, whatever the Host header is", async () => {
    expect(await asked({ host: "inner", origin: "https://console.test" }, "https://console.test")).toBe(303);
    expect(await asked({ host: "inner", origin: "http://inner" }, "https://console.test")).toBe(403);
  });
});

describe("what a form may be", () => {
  test("urlencoded, 16 kB at most", async () => {
    const { ana, did } = open();
    const token = await ana.token(`/doubts/${ID}`);
    expect((await ana.post("/doubts", word(token), { "content-type": "application/json" })).status).toBe(415);
    expect((await ana.post("/doubts", word(token), { "content-type": "text/plain" })).status).toBe(415);
    expect((await ana.post("/doubts", word(token, { more: "x".repeat(16_384) }))).status).toBe(413);
    expect(did).toEqual([]);
  });

  test.each([
    [{ note: " " }, "Say in the note"],
    [{ note: "x".repeat(1_001) }, "longer than 1000"],
    [{ as: "maybe" }, "Choose what is true"],
    [{ commandId: "order-71-accep" }, "typed is a different one"],
    [{ commandId: "" }, "typed is a different one"],
  ])("%j: nothing is done, the form comes again with what was given", async (fields, problem) => {
    const { end, did, ana } = open();
    const answer = await end({ note: "kept <note>", ...fields });
    expect(answer.status).toBe(422);
    const page = await answer.text();
    expect(page).toContain(problem);
    // Its address is another page's, with which the script must not bring it up to date.
    expect(page).not.toContain("data-live-page");
    if (!("note" in fields)) expect(page).toContain("kept &lt;note&gt;</textarea");
    expect(did).toEqual([]);
    // And it can be sent from there.
    expect((await ana.post("/doubts", word(tokenIn(page)))).status).toBe(303);
    expect(did).toHaveLength(1);
  });

  test("an id with invisible characters is typed in its escaped form", async () => {
    const { ana, state, did } = open();
    const id = "a\u202eb\nc";
    state.doubts = [aDoubt(Date.now(), { commandId: id })];
    const path = `/doubts/${encodeURIComponent(id)}`;
    const send = async (typed: string) =>
      ana.post("/doubts", { ...word(await ana.token(path)), id: encodeURIComponent(id), commandId: typed });
    expect((await send("abc")).status).toBe(422);
    expect((await send("a\\u202eb\\u000ac")).status).toBe(303);
    expect(did).toMatchObject([{ with: { commandId: id } }]);
  });
});

describe("what comes of it", () => {
  test("shows the durable place and the final result; force is off unless it was chosen", async () => {
    const { end, outcome, did } = open();
    const page = await outcome(await end());
    for (const text of [
      "The doubt is ended",
      "fx.command-journal[3]@1400",
      "fx.command-results[2]@871",
      "SUCCEEDED",
      "5e2a90b1c7d34f1f8a7b6c5d4e3f2a10",
    ])
      expect(page).toContain(text);
    expect(did).toMatchObject([
      { what: "resolve", with: { commandId: ID, quoteId: QUOTE, as: "succeeded", force: false } },
    ]);
  });

  test("force and the chosen quote reach the operator's function", async () => {
    const { end, did, state } = open();
    state.doubts = [aDoubt(Date.now()), aDoubt(Date.now(), { quoteId: "q-2" })];
    await end({ force: "yes", quote: "q-2", as: "not-executed" });
    expect(did).toMatchObject([{ with: { quoteId: "q-2", as: "not-executed", force: true } }]);
  });

  const asked = { commandId: ID, quoteId: QUOTE, as: "succeeded", force: false } as const;
  test.each([
    [
      { kind: "decided", result: resultOf(asked, 0), note: "bia: <b>no</b>", place: "j[0]@5" },
      "Somebody was faster",
      ["j[0]@5", "&lt;b&gt;no"],
    ],
    [
      { kind: "decided", result: null, note: null, place: "j[0]@5" },
      "Somebody was faster",
      ["QUOTE_ALREADY_TAKEN"],
    ],
    [
      { kind: "tooYoung", ageMs: 30_000, neededMs: 400_000, lost: "ANSWER_LOST" },
      "Too early",
      ["6 min 40 s"],
    ],
    [{ kind: "underWay" }, "Nothing was decided", ["wait for its result"]],
    [{ kind: "several", quotes: ["q-1", "q-2"] }, "Nothing was decided", ["q-1", "q-2"]],
    [{ kind: "unknown" }, "Nothing was decided", ["knows no command"]],
  ] as const)("%j", async (ended, title, texts) => {
    const { end, outcome, state } = open();
    state.ended = ended;
    const page = await outcome(await end());
    expect(page).toContain(title);
    for (const text of texts) expect(page).toContain(text);
    expect(page).not.toContain("The doubt is ended");
  });

  test("a refusal and a failure say what is known", async () => {
    const { end, outcome, state } = open();
    state.answer = () => Promise.reject(new UsageError("Nothing was done, because <it> failed."));
    expect(await outcome(await end())).toContain("because &lt;it&gt; failed.");
    state.answer = () => Promise.reject(new Forbidden("A viewer may not."));
    expect(await outcome(await end())).toContain("Refused: nothing was done");
    state.answer = () => Promise.reject(new Error("socket hang up"));
    expect(await outcome(await end())).toContain("Nobody knows whether it was done");
  });
});

describe("with four eyes", () => {
  const stands = {
    kind: "proposed",
    untilMs: Date.UTC(2026, 11, 1),
    place: "fx.bridge-audit[0]@7",
    quoteId: QUOTE,
  } as const;

  test.each([
    [{ kind: "alone" }, "A second operator must say the same"],
    [{ kind: "opposed", by: "bia", as: "not-executed" }, "it was not executed"],
    [{ kind: "tooYoung", by: "bia", ageMs: 1_000, neededMs: 400_000, lost: null }, "6 min 40 s"],
  ] as const)("a first word decides nothing: %j", async (why, text) => {
    const { end, outcome, state } = open({ fourEyes: true });
    state.ended = { ...stands, why };
    const page = await outcome(await end());
    for (const said of [
      "It waits for a second operator",
      "fx.bridge-audit[0]@7",
      "2026-12-01 00:00:00 UTC",
      text,
    ])
      expect(page).toContain(said);
    expect(page).not.toContain("The doubt is ended");
  });

  test("the doubt's page shows the proposals, and is shown without them when they cannot be read", async () => {
    const { ana, state } = open({ fourEyes: true });
    const word = {
      as: "succeeded" as const,
      note: "<i>",
      atMs: Date.now(),
      untilMs: Date.now(),
      place: { topic: "fx.bridge-audit", partition: 0, offset: 7 },
      quoteId: null,
    };
    state.proposals = [{ ...word, by: "bia" }];
    expect(await ana.text(`/doubts/${ID}`)).toContain("Say the same to end the doubt");
    state.proposals = [{ ...word, by: "ana" }];
    const page = await ana.text(`/doubts/${ID}`);
    expect(page).toContain("It is your own");
    expect(page).toContain("&lt;i&gt;");
    expect(page).toContain("Propose or confirm");
    state.proposals = [{ ...word, by: " \uff21NA\u200b" }];
    expect(await ana.text(`/doubts/${ID}`)).toContain("It is your own");
    state.answer = () => Promise.reject(new UsageError("no answer within 5 s"));
    const without = await ana.get(`/doubts/${ID}`);
    expect(without.status).toBe(200);
    expect(await without.text()).toContain("What others said of it so far is not known.");
  });
});

describe("once for each form", () => {
  test("twice at once, and again later: one action, one outcome", async () => {
    const { ana, did, state, outcome } = open();
    let go = (): void => undefined;
    state.answer = () => new Promise((resolve) => (go = resolve));
    const fields = word(await ana.token(`/doubts/${ID}`));
    const both = Promise.all([ana.post("/doubts", fields), ana.post("/doubts", fields)]);
    await expect.poll(() => did.length).toBe(1);
    go();
    const [one, two] = await both;
    expect(one.headers.get("location")).toBe(two.headers.get("location"));
    const later = await ana.post("/doubts", fields);
    expect(await outcome(later)).toContain("The doubt is ended");
    expect(did).toHaveLength(1);
  });

  test("the same form with other fields has no effect", async () => {
    const { ana, did } = open();
    const token = await ana.token(`/doubts/${ID}`);
    await ana.post("/doubts", word(token));
    const answer = await ana.post("/doubts", word(token, { as: "not-executed" }));
    expect(answer.status).toBe(409);
    expect(await answer.text()).toContain("something else in it");
    expect(did).toHaveLength(1);
  });

  test("a form from before a restart has no effect", async () => {
    const token = await open().ana.token(`/doubts/${ID}`);
    const { ana, did } = open();
    const answer = await ana.post("/doubts", word(token));
    expect(answer.status).toBe(409);
    expect(await answer.text()).toContain("too old to act on");
    expect(did).toEqual([]);
  });

  test("an outcome is shown only to the person who sent the form", async () => {
    const { end, as } = open();
    const location = (await end()).headers.get("location")!;
    expect((await as("bia").get(location)).status).toBe(404);
    expect((await as("ana").get("/outcomes/none")).status).toBe(404);
  });
});

describe("pauses and replays", () => {
  test("pause and resume: the duration, and the place of the control entry", async () => {
    const { ana, did, outcome } = open();
    const said = async (says: string, of: Record<string, string>) =>
      ana.post("/pauses", {
        token: await ana.token("/pauses", `value="commands"`, `value="${says}"`),
        flow: "commands",
        says,
        note: "incident 7",
        ...of,
      });
    const before = Date.now();
    expect(await outcome(await said("pause", { for: "3600" }))).toContain("fx.bridge-control[0]@4");
    const { untilMs } = did[0]!.with as { untilMs: number };
    expect(untilMs - before).toBeGreaterThanOrEqual(3_600_000);
    expect(await ana.text("/")).toContain("incident 7");
    expect(await outcome(await said("resume", {}))).toContain("it was paused by");
    expect((await said("pause", { for: "17" })).status).toBe(422);
    expect((await said("pause", { for: "900", note: "" })).status).toBe(422);
    expect(did.map(({ what }) => what)).toEqual(["pause", "resume"]);
  });

  test("plan, replay, progress, cancel", async () => {
    const { ana, did, outcome, runs } = open();
    const token = await ana.token("/dead-letters", "plans");
    const planned = await outcome(
      await ana.post("/dead-letters/plans", [
        ["token", token],
        ["ref", "0/7"],
        ["ref", "1/3"],
        ["which", "chosen"],
        ["note", "fixed"],
        ["again", "yes"],
      ]),
    );
    expect(planned).toContain("Nothing was sent yet");
    expect(planned).toContain("sent before");
    expect(did).toMatchObject([{ what: "plan", with: { selection: { refs: ["0/7", "1/3"] }, again: true } }]);

    const begin = { token: tokenIn(planned, "planId"), planId: "plan-1", note: "fixed" };
    const run = await ana.post("/dead-letters/runs", begin);
    expect(run.headers.get("location")).toBe("/dead-letters/runs/run-1");
    expect((await ana.post("/dead-letters/runs", begin)).headers.get("location")).toBe(
      "/dead-letters/runs/run-1",
    );
    const page = await ana.text("/dead-letters/runs/run-1");
    expect(page).toContain("2 of 4");
    expect(page).toContain("fx.transaction-status[4]@812");

    await ana.post("/dead-letters/runs/cancel", { token: tokenIn(page, "runId"), runId: "run-1" });
    expect(runs.get("run-1")?.state).toBe("cancelling");
    expect(await ana.text("/dead-letters/runs/run-1")).toContain("being stopped");
    expect(did.map(({ what }) => what)).toEqual(["plan", "replay", "cancel"]);
  });

  test("everything that a filter finds, not only the chosen letters", async () => {
    const { ana, did } = open();
    const path = "/dead-letters?reason=UNREADABLE_COMMAND&since=2026-11-01T00:00";
    const page = await ana.text(path);
    expect(page).not.toContain("/dead-letters/0/7");
    await ana.post("/dead-letters/plans", {
      token: tokenIn(page, "plans"),
      which: "filter",
      note: "all",
      reason: "UNREADABLE_COMMAND",
      since: "2026-11-01T00:00:00.000Z",
    });
    expect(did).toMatchObject([
      {
        with: {
          selection: { reason: "UNREADABLE_COMMAND", sinceMs: Date.UTC(2026, 10, 1), untilMs: null },
          again: false,
        },
      },
    ]);
  });

  test.each([
    [{ which: "chosen" }],
    [{ which: "chosen", ref: "../etc" }],
    [{ which: "filter", since: "yesterday" }],
    [{ which: "chosen", ref: "0/7", note: "" }],
  ])("%j plans nothing", async (fields) => {
    const { ana, did } = open();
    const answer = await ana.post("/dead-letters/plans", {
      token: await ana.token("/dead-letters", "plans"),
      note: "x",
      ...fields,
    });
    expect(answer.status).toBe(422);
    expect(did).toEqual([]);
  });
});
