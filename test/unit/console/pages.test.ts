import { describe, expect, test } from "vitest";
import type { Doubt } from "../../../src/console/ports.ts";
import { DeadlineError } from "../../../src/runtime/clock.ts";
import { OutageError, UsageError } from "../../../src/runtime/errors.ts";
import { aDoubt, aLetter } from "../../support/console-fakes.ts";
import { basic, openConsole } from "./browser.ts";

const PAGES = [
  "/",
  "/doubts",
  "/doubts/order-71-accept",
  "/pauses",
  "/dead-letters",
  "/dead-letters/0/7",
  "/commands/c-1",
  "/transactions/t-1",
  "/audit",
];
const EVIL = `"'><script>alert(1)</script><img src=x onerror=alert(2)>\u202e`;

describe("every answer", () => {
  test.each([...PAGES, "/nowhere", "/dead-letters/9/9", "/search?id=", "/live"])(
    "%s: browsers are told what it may do",
    async (path) => {
      const answer = await openConsole().as("ana").get(path);
      const { headers } = answer;
      expect(headers.get("content-security-policy")).toBe(
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
      );
      expect(headers.get("x-content-type-options")).toBe("nosniff");
      expect(headers.get("referrer-policy")).toBe("same-origin");
      expect(headers.get("cross-origin-opener-policy")).toBe("same-origin");
      expect(headers.get("cross-origin-resource-policy")).toBe("same-origin");
      expect(headers.get("cache-control")).toBe("no-store");
      await answer.body?.cancel();
    },
  );

  test.each(PAGES)("%s: has no inline style or script", async (path) => {
    const page = await openConsole().as("ana").text(path);
    expect(page).not.toMatch(
      / style=|<style| on[a-z]+=|<script(?! src="\/assets\/script-[0-9a-f]{16}\.js" defer><)/,
    );
    expect(page).toContain('<html lang="en"');
  });

  test("assets have a hash of their content in their path, and may be cached", async () => {
    const { send, as } = openConsole();
    const paths = (await as("ana").text("/")).match(/\/assets\/[^"]+/g)!;
    expect(new Set(paths).size).toBe(3);
    for (const path of paths) {
      const answer = await send(path);
      expect(answer.status).toBe(200);
      expect(answer.headers.get("cache-control")).toContain("immutable");
      expect(answer.headers.get("content-security-policy")).toContain("default-src 'none'");
    }
    expect((await send("/assets/script-0000000000000000.js")).status).toBe(401);
  });
});

describe("untrusted text is never markup", () => {
  test("in ids, payloads, notes, names and sentences", async () => {
    const { as, state } = openConsole();
    const ana = as("ana");
    state.doubts = [
      aDoubt(Date.now(), {
        commandId: EVIL,
        quoteId: EVIL,
        error: { code: EVIL, message: EVIL },
        response: EVIL,
      }),
    ];
    state.letters = [
      aLetter(Date.now(), 0, 7, {
        reason: EVIL,
        detail: EVIL,
        missing: EVIL,
        obstacle: EVIL,
        preview: EVIL,
        source: "command",
        origin: { topic: EVIL, partition: 0, offset: 1, timestampMs: 0 },
      }),
    ];
    state.value = Buffer.from(EVIL);
    state.replayed = [EVIL];
    state.notes = [EVIL];
    state.replicas = [{ clientId: EVIL, host: EVIL, partitions: [], isReconciling: false }];
    state.kafka = { up: false, detail: EVIL };
    state.pauses.commands = {
      flow: "commands",
      says: "pause",
      by: EVIL,
      note: EVIL,
      atMs: Date.now(),
      untilMs: null,
      actionId: EVIL,
    };
    const id = encodeURIComponent(EVIL);
    for (const path of [
      ...PAGES,
      `/doubts/${id}`,
      `/commands/${id}`,
      `/transactions/${id}`,
      `/dead-letters?reason=${id}&since=${id}&from=${id}`,
      `/search?id=${id}`,
      `/nowhere/${id}`,
      `/audit?before=${id}`,
      "/dead-letters/0/7?as=hex",
      "/dead-letters/0/7?as=json",
    ]) {
      const page = await ana.text(path);
      expect(page, path).not.toContain("<img");
      expect(page, path).not.toContain("<script>");
      // What a field or a link holds is not shown.
      expect(page.replace(/ (?:value|href)="[^"]*"/g, ""), path).not.toContain("\u202e");
    }
    expect(await ana.text(`/commands/${id}`)).toContain('<span class="odd">\\u202e</span>');
  });
});

describe("ids", () => {
  const HOSTILE = [
    "a/b",
    "a?b#c",
    "%2F",
    "100%25",
    "..",
    ".",
    "",
    " a  b ",
    "é\u0000\n\t",
    "\u202eabc",
    "💶",
    EVIL,
    "x".repeat(2_000),
  ];

  test.each(HOSTILE)("%j leads from the search to its own page", async (id) => {
    const { as, queries } = openConsole();
    const asked: string[] = [];
    const { command, transaction, doubt } = queries;
    queries.command = (given, since) => (asked.push(given), command(given, since));
    queries.transaction = (given, since) => (asked.push(given), transaction(given, since));
    queries.doubt = (given) => (asked.push(given), doubt(given));
    const ana = as("ana");
    const paths: string[] = [];
    for (const of of ["command", "transaction"]) {
      const found = await ana.get(`/search?of=${of}&id=${encodeURIComponent(id)}`);
      if (id !== "") paths.push(found.headers.get("location")!);
      else expect(found.status).toBe(400);
    }
    for (const path of [...paths, ...paths.slice(0, 1).map((path) => path.replace("/commands", "/doubts"))])
      // As a browser resolves it.
      expect(
        (await ana.get(new URL(path, "http://console.test").href.replace("http://console.test", ""))).status,
      ).toBe(200);
    expect(new Set(asked)).toEqual(new Set(id === "" ? [] : [id]));
  });
});

describe("the overview", () => {
  test("says first whether money is in doubt", async () => {
    const { as, state } = openConsole();
    const ana = as("ana");
    const first = async () =>
      /<h1 id="verdict">([\s\S]*?)<\/h1>/
        .exec(await ana.text("/"))![1]!
        .replace(/<[^>]*>/g, "")
        .trim();
    expect(await first()).toBe("2 commands are in doubt");
    state.doubts = [];
    expect(await first()).toBe("No command is in doubt");
    state.doubtsProgress = {
      isComplete: false,
      read: 5,
      total: 50,
      sinceMs: Date.UTC(2026, 10, 1, 12, 3),
      problem: null,
    };
    expect(await first()).toBe("No command is known to be in doubt");
    expect(await ana.text("/")).toContain("2026-11-01 12:03:00 UTC");
    state.doubtsProgress = { ...state.doubtsProgress, isComplete: true };
    state.kafka = { up: false, detail: "no answer within 5 s." };
    expect(await first()).toBe("No command is known to be in doubt");
    expect(await ana.text("/")).toContain("Kafka does not answer.");
  });

  test("what is not known yet is shown as neither good nor bad", async () => {
    const { as, state } = openConsole();
    Object.assign(state, { doubts: [], underWay: 0, isKnown: false });
    state.doubtsProgress = { isComplete: false, read: 0, total: 0, sinceMs: null, problem: null };
    const page = await as("ana").text("/");
    expect(page).toContain("What is paused is not known yet");
    expect(page.match(/<span class="value">not known yet/g)).toHaveLength(2);
    for (const wrong of [
      "Nothing is paused",
      "no replica",
      "No replica",
      "topic holds",
      "No call is under way",
    ])
      expect(page).not.toContain(wrong);
    expect(page).not.toMatch(/class="(?:card|tag|verdict) (?:good|bad)"/);
    const pauses = await as("ana").text("/pauses");
    expect(pauses).toContain("not known yet");
    expect(pauses).not.toContain("Nobody ever paused it");
    state.doubtsProgress = { ...state.doubtsProgress, sinceMs: 1 };
    expect(await as("ana").text("/")).toContain("No call is under way.");
    state.doubtsProgress = { ...state.doubtsProgress, isComplete: true, problem: "A record cannot be read." };
    const withProblem = await as("ana").text("/");
    expect(withProblem).toContain("No command is known to be in doubt");
    expect(withProblem).not.toContain("No call is under way");
  });

  test("a browser without script asks again; times and figures are in the page", async () => {
    const page = await openConsole().as("vic").text("/");
    expect(page).toContain('<noscript><meta http-equiv="refresh" content="10"');
    expect(page).toMatch(/aria-label="Events, each minute of the last hour: now \d+, highest \d+/);
    expect(page).toContain("Records for each minute of the last hour");
  });

  test("timestamps out of range make no page fail", async () => {
    const { as, state } = openConsole();
    state.doubts = [
      aDoubt(Date.now(), {
        atMs: 9e15,
        resolvableAtMs: -9e15,
        claim: {
          atMs: Number.MAX_SAFE_INTEGER,
          place: { topic: "j", partition: 0, offset: 0 },
          callWithinMs: 1,
        },
      }),
    ];
    state.letters = [aLetter(Date.now(), 0, 7, { timestampMs: -1, receivedAtMs: 8.65e15 })];
    for (const path of PAGES) expect((await as("ana").get(path)).status, path).toBe(200);
  });
});

describe("lists", () => {
  test("10,000 doubts: fifty a page, the oldest first, with all their pages", async () => {
    const { as, state } = openConsole();
    state.doubts = [...Array(10_000).keys()].map((i) => aDoubt(Date.now(), { commandId: `c-${i}` }));
    const ana = as("ana");
    const page = await ana.text("/doubts");
    expect(page.match(/href="\/doubts\/c-/g)).toHaveLength(50);
    expect(page).toContain("Page 1 of 200");
    expect(await ana.text("/doubts?page=200")).toContain("/doubts/c-9999");
    for (const odd of ["0", "-1", "x", "201", "99999999"])
      expect((await ana.get(`/doubts?page=${odd}`)).status).toBe(200);
  });

  test("whether a call left is not known where its replica died, or nothing was read", async () => {
    const { as, state } = openConsole();
    const lost = { code: "OWNER_LOST", message: "" };
    const texts = async (of: Partial<Doubt>) => {
      state.doubts = [aDoubt(Date.now(), of)];
      return [await as("ana").text("/doubts"), await as("ana").text("/doubts/order-71-accept")] as const;
    };
    const [row, page] = await texts({ httpStatus: null, error: lost });
    expect(row).toContain("not known, it may have left");
    expect(page).toContain("the replica that was to make the call died; it may have left");
    expect(page).not.toContain("left for the partner");
    const [unreadRow, unread] = await texts({ httpStatus: null, error: null });
    expect(unreadRow).toContain("not known, it may have left");
    expect(unread).toContain("what came of the call has not been read; it may have left");
    const [knownRow, known] = await texts({});
    expect(knownRow).toContain("1 call, HTTP 502");
    expect(known).toContain("1 call left for the partner");
  });

  test("the age of a claim only makes a call less likely, and the page says no more", async () => {
    const { as, state } = openConsole();
    for (const resolvableAtMs of [null, Date.now() - 1, Date.now() + 60_000]) {
      state.doubts = [aDoubt(Date.now(), { resolvableAtMs })];
      const page = (await as("ana").text("/doubts/order-71-accept")).replace(/\s+/g, " ");
      expect(page).toMatch(/it is very unlikely that the call is|the less likely is it that the call is/);
      expect(page).not.toMatch(/cannot be under way|without (?:that )?risk/);
    }
  });

  test("dead letters by cursor, with the filter kept", async () => {
    const { as, state } = openConsole();
    state.letters = [...Array(120).keys()].map((i) => aLetter(Date.now(), 0, i));
    const page = await as("ana").text("/dead-letters?reason=UNREADABLE_NOTIFICATION");
    expect(page).toContain('href="/dead-letters?reason=UNREADABLE_NOTIFICATION&amp;from=50"');
    expect(await as("ana").text("/dead-letters?reason=X&since=soon")).toContain("“since” is no time");
  });
});

describe("a dead letter's value", () => {
  const shown = async (value: Buffer | null, query = "") => {
    const { as, state } = openConsole();
    state.value = value;
    return as("ana").text(`/dead-letters/0/7${query}`);
  };

  test("JSON keeps its digits; text and hex on demand", async () => {
    const json = Buffer.from('{"a":1234.500000000000000001,"b":["x,{}",{}],"a":2}');
    expect(await shown(json)).toContain(
      `{\n  &quot;a&quot;: 1234.500000000000000001,\n  &quot;b&quot;: [\n    &quot;x,{}&quot;,\n    {}\n  ],\n  &quot;a&quot;: 2\n}`,
    );
    expect(await shown(json, "?as=text")).toContain("{&quot;a&quot;:1234.5");
    expect(await shown(json, "?as=hex")).toContain(
      "00000000  7b 22 61 22 3a 31 32 33 34 2e 35 30 30 30 30 30  {&quot;a&quot;:1234.500000",
    );
  });

  test("JSON comes in parts, too; only the last one says the whole length", async () => {
    const json = Buffer.from(`[${Array(20_000).fill("1").join(",")}]`);
    const first = await shown(json);
    expect(first).toMatch(/characters 0 to 32\u202f768\s*<\/span\s*>/);
    expect(first).toContain("?as=json&amp;at=32768#value");
    const last = await shown(json, "?as=json&at=98304");
    expect(last).toMatch(/characters 98\u202f304 to 100\u202f002\s+of 100\u202f002\s*<\/span\s*>/);
    expect(last).not.toContain(">After<");
  });

  test("a value that is not UTF-8 is shown as hex; as text it says so", async () => {
    expect(await shown(Buffer.from([0xff, 0x00, 0x41]))).toContain("00000000  ff 00 41 ");
    expect(await shown(Buffer.from([0xff, 0x41]), "?as=text")).toContain("It is not UTF-8");
    expect(await shown(Buffer.from("no json"), "?as=json")).toContain("It is not JSON.");
    expect(await shown(Buffer.alloc(0))).toContain("It is empty.");
    expect(await shown(null)).toContain("It has no value.");
  });

  test("a byte order mark is shown, and makes the value no JSON", async () => {
    expect(await shown(Buffer.from("\ufeff[1]"))).toContain(">\\ufeff</span>[1]");
    expect(await shown(Buffer.from("\ufeff[1]"), "?as=json")).toContain("It is not JSON.");
  });

  test("a megabyte comes in parts", async () => {
    const value = Buffer.concat([Buffer.alloc(1_048_576, "\u0001"), Buffer.from("END")]);
    for (const query of ["?as=text", "?as=hex", "?as=json"]) {
      const page = await shown(value, query);
      expect(page.length).toBeLessThan(400_000);
      expect(page).toContain("After");
    }
    expect(await shown(Buffer.from(`${"[".repeat(500_000)}${"]".repeat(500_000)}`), "?as=json")).toContain(
      "It is too large to be shown as JSON.",
    );
    expect(await shown(value, "?as=text&at=1048570")).toContain("END");
    expect(await shown(value, "?as=hex&at=99999999999")).toContain("00000000  ");
  });
});

describe("histories", () => {
  test("while topics are read, the page shows the progress and reloads", async () => {
    const { as, state } = openConsole();
    state.storyProgress = {
      isComplete: false,
      read: 10,
      total: 90,
      sinceMs: Date.UTC(2026, 10, 1),
      problem: null,
    };
    for (const path of ["/commands/c", "/transactions/t"]) {
      const page = await as("ana").text(path);
      expect(page).toContain("10 of 90 records");
      expect(page).toContain("data-soon");
      expect(page).toContain('http-equiv="refresh" content="2"');
    }
    state.storyProgress = { ...state.storyProgress, problem: "Kafka went away." };
    const page = await as("ana").text("/commands/c");
    expect(page).toContain("It does not go on: Kafka went away.");
    expect(page).not.toContain("data-soon");
  });

  test("the start of the window moves in steps, so that a reload continues the same search", async () => {
    const { as, queries } = openConsole();
    const since: (number | null)[] = [];
    const { command } = queries;
    queries.command = (id, sinceMs) => (since.push(sinceMs), command(id, sinceMs));
    for (const query of ["", "?since=all", "?since=24h", "?since=2026-11-01T00:00:00Z", "?since=nonsense"])
      await as("ana").get(`/commands/c${query}`);
    const [usual, all, day, instant, nonsense] = since;
    expect([all, instant, nonsense]).toEqual([null, Date.UTC(2026, 10, 1), usual]);
    expect(usual! % 86_400_000).toBe(0);
    expect(day! % 3_600_000).toBe(0);
  });
});

describe("when something fails", () => {
  const noBroker = new OutageError(
    "Kafka does not answer. KAFKA_BROKERS (a:9092): no answer within 5000 ms.",
  );

  test("a request without node's bindings: 500, and a log entry", async () => {
    const { app, logged } = openConsole();
    const headers = { authorization: basic("ana") };
    expect((await app.request("http://console.test/", { headers })).status).toBe(500);
    expect(logged).toMatchObject([{ event: "console.page.failed" }]);
  });

  test("Kafka does not answer: 503, and what to do", async () => {
    const { as, state } = openConsole();
    state.answer = () => Promise.reject(noBroker);
    for (const path of ["/dead-letters", "/dead-letters/0/7", "/audit"]) {
      const answer = await as("ana").get(path);
      expect(answer.status, path).toBe(503);
      expect(await answer.text()).toContain(noBroker.message);
    }
  });

  test.each([
    ["an outage", noBroker, noBroker.message],
    ["a deadline", new DeadlineError(15_000), "Kafka did not answer: no answer within 15000 ms."],
  ])("%s: a list that was read before is shown as it was then, with its age", async (_, error, sentence) => {
    const { as, state } = openConsole();
    for (const path of ["/dead-letters", "/audit"]) expect((await as("ana").get(path)).status).toBe(200);
    const before = await as("ana").text("/dead-letters");
    state.answer = () => Promise.reject(error);
    for (const path of ["/dead-letters", "/audit"]) {
      const answer = await as("vic").get(path);
      expect(answer.status, path).toBe(200);
      const text = await answer.text();
      expect(text).toContain(sentence);
      expect(text).toMatch(/What is shown was read\s+<span class="when"/);
    }
    expect(before).toContain("/dead-letters/0/7");
    expect(await as("vic").text("/dead-letters")).toContain("/dead-letters/0/7");
    expect((await as("ana").get("/dead-letters?reason=OTHER")).status, "never read").toBe(503);
  });

  test("a bug: 500 and a log entry, even where a list was read before", async () => {
    const { as, state, logged } = openConsole();
    for (const path of ["/dead-letters", "/audit"]) await as("ana").text(path);
    state.answer = () => Promise.reject(new TypeError("secret is undefined"));
    for (const path of ["/dead-letters", "/dead-letters/0/7", "/audit"]) {
      const answer = await as("ana").get(path);
      expect(answer.status, path).toBe(500);
      expect(await answer.text()).not.toContain("secret");
    }
    const entry = { event: "console.page.failed", fields: { method: "GET", reason: "secret is undefined" } };
    expect(logged).toEqual([entry, entry, entry]);
  });

  test("too many requests at once: 503, and only the sentence, even where a list was read before", async () => {
    const { as, state } = openConsole();
    await as("ana").text("/audit");
    state.answer = () => Promise.reject(new UsageError("Too much is being read."));
    const answer = await as("ana").get("/audit");
    expect(answer.status).toBe(503);
    expect(await answer.text()).toMatch(/<strong>[^K]*Too much is being read\./);
  });

  test("a page that throws does not show the error's message", async () => {
    const { as, queries } = openConsole();
    queries.overview = () => {
      throw new Error("secret");
    };
    const answer = await as("ana").get("/");
    expect(answer.status).toBe(500);
    expect(await answer.text()).not.toContain("secret");
  });

  test("a missing page is 404 in the same layout, with a link", async () => {
    for (const path of [
      "/nowhere",
      "/dead-letters/0/99",
      "/dead-letters/x/y",
      "/dead-letters/runs/none",
      "/commands",
    ]) {
      const answer = await openConsole().as("ana").get(path);
      expect(answer.status, path).toBe(404);
      expect(await answer.text(), path).toContain('<nav aria-label="Pages">');
    }
  });
});
