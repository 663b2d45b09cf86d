// Measures the sandbox, each figure on a process of its own: sh dev/on-node.sh bench/sandbox.mjs [start|rate|memory|schedule|log]…
// Needs a build (npm run build). The sandbox runs on one core, the load comes from this process on another.
// On another Node.js: with --node 22
import { execFileSync, spawn } from "node:child_process";
import http from "node:http";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { performance } from "node:perf_hooks";
import { PARTNER_HEADERS } from "./bridge.mjs";
import { machine } from "./figures.mjs";

// SANDBOX_MAIN: another program that takes the same arguments.
const main = process.env.SANDBOX_MAIN ?? new URL("../dist/main.js", import.meta.url).pathname;

/** @param {string[]} flags */
const startSandbox = async (...flags) => {
  const begin = performance.now();
  const child = spawn(process.execPath, [main, "sandbox", "--port", "0", ...flags], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const line = await Promise.race([
    once(createInterface({ input: child.stdout }), "line").then(([first]) => String(first)),
    once(child, "exit").then(() => "it ended at once"),
  ]);
  const startedMs = performance.now() - begin;
  const url = /http:\/\/\S+/.exec(line)?.[0];
  if (!url || child.pid === undefined) throw new Error(`the sandbox did not start: ${line}`);
  const { pid } = child;
  return {
    url,
    startedMs,
    /** Resident memory in MiB, and processor time so far in seconds. */
    usage: () => {
      const [rss, time] = execFileSync("ps", ["-o", "rss=,cputimes=", "-p", String(pid)])
        .toString()
        .trim()
        .split(/\s+/);
      return { rssMiB: Math.round(Number(rss) / 1024), cpuSeconds: Number(time) };
    },
    stop: async () => {
      child.kill();
      await once(child, "exit");
    },
  };
};

const quote = JSON.stringify({
  direction: "OUTBOUND",
  purpose: "COMEX",
  quotedAmount: "1000.00",
  baseCurrencyIso: "USD",
  quotedCurrencyIso: "BRL",
});

/** @param {string} url */
const clientOf = (url) => {
  const agent = new http.Agent({ keepAlive: true, maxSockets: 64 });
  /** @param {string} method @param {string} path @param {string} [body] @returns {Promise<string>} */
  const send = (method, path, body = "") =>
    new Promise((resolve, reject) => {
      const request = http.request(
        url + path,
        { method, agent, headers: { ...PARTNER_HEADERS, "content-length": Buffer.byteLength(body) } },
        (response) => {
          let text = "";
          response.setEncoding("utf8");
          response.on("data", (chunk) => (text += chunk));
          response.on("end", () => resolve(text));
        },
      );
      request.on("error", reject);
      request.end(body);
    });
  return { send, close: () => agent.destroy() };
};

/** @param {number} count @param {number} width @param {(nth: number) => Promise<unknown>} work */
const inParallel = async (count, width, work) => {
  let next = 0;
  const lane = async () => {
    while (next < count) await work(next++);
  };
  await Promise.all(Array.from({ length: width }, lane));
};

const figures = {
  start: async () => {
    const times = [];
    for (let nth = 0; nth < 5; nth += 1) {
      const sandbox = await startSandbox();
      times.push(Math.round(sandbox.startedMs));
      await sandbox.stop();
    }
    console.log(`start: ${times.join(", ")} ms from spawning the process to listening`);
  },

  rate: async () => {
    const sandbox = await startSandbox("--walk", "still");
    const client = clientOf(sandbox.url);
    const run = async (/** @type {number} */ count) =>
      inParallel(count, 64, async () => {
        const { quoteId } = JSON.parse(await client.send("POST", "/corporate/v1/quote", quote));
        await client.send("PUT", `/corporate/v1/quote/${quoteId}/accept`, '{"counterpartyId":"cp-1"}');
      });
    await run(5000);
    const before = sandbox.usage();
    const begin = performance.now();
    const pairs = 40_000;
    await run(pairs);
    const seconds = (performance.now() - begin) / 1000;
    const busySeconds = sandbox.usage().cpuSeconds - before.cpuSeconds;
    console.log(
      `rate: ${Math.round((2 * pairs) / seconds)} requests/s (create and accept in turn); ` +
        `the sandbox used ${busySeconds} s of processor time in ${seconds.toFixed(1)} s, ` +
        `so about ${Math.round((2 * pairs) / Math.max(1, busySeconds))} requests/s on a full core`,
    );
    client.close();
    await sandbox.stop();
  },

  memory: async () => {
    const sandbox = await startSandbox("--walk", "still");
    const client = clientOf(sandbox.url);
    for (let step = 0; step < 10; step += 1) {
      await inParallel(100_000, 64, async () => {
        const { quoteId } = JSON.parse(await client.send("POST", "/corporate/v1/quote", quote));
        await client.send("PUT", `/corporate/v1/quote/${quoteId}/accept`, '{"counterpartyId":"cp-1"}');
      });
      console.log(
        `memory: ${sandbox.usage().rssMiB} MiB resident after ${(step + 1) * 100_000} quotes created and accepted`,
      );
    }
    const executions = JSON.parse(await client.send("GET", "/_sandbox/executions"));
    console.log(`memory: counted ${executions.executions} executions of ${executions.quotes} quotes`);
    client.close();
    await sandbox.stop();
  },

  schedule: async () => {
    /** @type {number[]} */
    const lateness = [];
    /** @type {Map<string, number[]>} When the receiver got each transaction's notifications. */
    const arrivals = new Map();
    const receiver = http.createServer((request, response) => {
      let body = "";
      request.on("data", (chunk) => (body += chunk));
      request.on("end", () => {
        const { transactionId } = JSON.parse(body);
        arrivals.set(transactionId, [...(arrivals.get(transactionId) ?? []), Date.now()]);
        response.writeHead(500).end();
      });
    });
    receiver.listen(0, "127.0.0.1");
    await once(receiver, "listening");
    const address = receiver.address();
    const port = typeof address === "object" && address ? address.port : 0;
    const sandbox = await startSandbox("--time-scale", "900", "--webhook-url", `http://127.0.0.1:${port}/`);
    const client = clientOf(sandbox.url);
    await client.send("POST", "/_sandbox/transactions", '{"count":1000,"statuses":["AWAITING_PAYMENT"]}');
    for (;;) {
      const { totals } = JSON.parse(await client.send("GET", "/_sandbox/state?only=totals"));
      if (totals.failed === 1000) break;
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
    const { deliveries } = JSON.parse(await client.send("GET", "/_sandbox/state?only=deliveries"));
    for (const { transactionId, attempts } of deliveries)
      for (let nth = 1; nth < attempts.length; nth += 1) {
        const dueAt = Date.parse(attempts[nth].dueAt);
        const arrivedAt = arrivals.get(transactionId)?.[nth] ?? NaN;
        lateness.push((arrivedAt - dueAt) / (dueAt - Date.parse(attempts[nth - 1].startedAt)));
      }
    lateness.sort((a, b) => a - b);
    const percent = (/** @type {number} */ share) =>
      `${(100 * (lateness[Math.min(lateness.length - 1, Math.floor(share * lateness.length))] ?? NaN)).toFixed(2)} %`;
    console.log(
      `schedule: ${lateness.length} retries of 1,000 notifications at time scale 900 reached the receiver late by ` +
        `${percent(0.5)} (median), ${percent(0.99)} (p99), ${percent(1)} (worst) of their interval`,
    );
    client.close();
    receiver.close();
    receiver.closeAllConnections();
    await sandbox.stop();
  },

  log: async () => {
    const sandbox = await startSandbox();
    const before = sandbox.usage().rssMiB;
    const client = clientOf(sandbox.url);
    const day = { from: "2026-01-05T03:00:00Z", to: "2026-01-06T03:00:00Z" };
    let begin = performance.now();
    await client.send("POST", "/_sandbox/log", JSON.stringify({ count: 1_000_000, send: false, ...day }));
    const madeMs = performance.now() - begin;
    const full = sandbox.usage().rssMiB;
    // Other requests meanwhile: a long answer of the log must not delay them.
    let slowestMs = 0;
    let reading = true;
    const others = (async () => {
      while (reading) {
        const asked = performance.now();
        await client.send("GET", "/_sandbox/executions");
        slowestMs = Math.max(slowestMs, performance.now() - asked);
      }
    })();
    begin = performance.now();
    const cpuBefore = sandbox.usage().cpuSeconds;
    let bytes = 0;
    await new Promise((resolve, reject) => {
      const path = "/corporate/v1/webhook/logs?startDate=2026-01-05&endtDate=2026-01-06";
      const request = http.get(sandbox.url + path, { headers: PARTNER_HEADERS }, (response) => {
        response.on("data", (chunk) => (bytes += chunk.length));
        response.on("end", resolve);
      });
      request.on("error", reject);
    });
    const seconds = (performance.now() - begin) / 1000;
    reading = false;
    await others;
    console.log(
      `log: a million entries made in ${Math.round(madeMs)} ms, ${before} MiB resident before and ${full} after; ` +
        `read whole (${Math.round(bytes / 1e6)} MB) in ${seconds.toFixed(1)} s ` +
        `(${sandbox.usage().cpuSeconds - cpuBefore} s of processor time), then ${sandbox.usage().rssMiB} MiB; ` +
        `the slowest other request meanwhile took ${Math.round(slowestMs)} ms`,
    );
    client.close();
    await sandbox.stop();
  },
};

console.log(machine());
const asked = process.argv.slice(2);
for (const [name, measure] of Object.entries(figures))
  if (asked.length === 0 || asked.includes(name)) await measure();
