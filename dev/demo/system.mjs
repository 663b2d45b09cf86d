import { join } from "node:path";
import { projectFolder } from "../bootstrap/bootstrap.mjs";
import { endChild, startChild } from "../child.mjs";
import { untilReady } from "../cluster/probe.mjs";
import { COMPILED, MAIN, NODE_FLAGS, SANDBOX } from "../main.mjs";
import { CommandError, run } from "../run.mjs";
import { Failure } from "../terminal/failure.mjs";
import { webhookUrl, withoutSettings } from "./environment.mjs";

/** @typedef {import("./environment.mjs").Settings} Settings */
/** @typedef {import("../terminal/steps.mjs").Steps} Steps */

const READY_MS = 30_000;
const REQUEST_MS = 2_000;

// A transaction goes through all statuses within seconds instead of an hour.
const PACE = ["--step", "400ms", "--retry", "2s", "--name-quotes"];

/**
 * The bridge, the console and the sandbox as processes, started by their own command lines.
 * @param {{ node: string, settings: Settings, logFolder: string, scope: import("../program.mjs").Scope }} options
 */
export function createSystem({ node, settings, logFolder, scope }) {
  const env = { ...withoutSettings(process.env), ...COMPILED, ...settings };
  /** @type {import("../child.mjs").Child[]} */
  const started = [];
  scope.defer(async () => {
    await Promise.all(started.map((child) => endChild(child, "SIGTERM")));
  });

  /**
   * @param {string} name
   * @param {string[]} args
   * @param {(line: string) => void} [onLine]
   * @param {string[]} [program]
   */
  const start = async (name, args, onLine, program = [...NODE_FLAGS, MAIN]) => {
    const logFile = join(logFolder, `${name}.log`);
    const child = await startChild([node, ...program, ...args], {
      logFile,
      env,
      cwd: projectFolder,
      onLine,
    });
    started.push(child);
    return child;
  };

  /**
   * @param {string} what
   * @param {import("../child.mjs").Child} child
   * @param {string} url
   * @param {(status: number) => boolean} isGood
   */
  const answering = (what, child, url, isGood) =>
    untilReady({
      what,
      process: child,
      withinMs: READY_MS,
      attempt: async () => {
        const answer = await fetch(url, { signal: AbortSignal.timeout(REQUEST_MS) });
        await answer.body?.cancel();
        return isGood(answer.status);
      },
    });

  /** @param {Record<string, unknown>} rule */
  const addFault = async (rule) => {
    const answer = await fetch(`${settings.PARTNER_BASE_URL}/_sandbox/faults`, {
      method: "POST",
      body: JSON.stringify(rule),
      signal: AbortSignal.timeout(REQUEST_MS),
    });
    if (!answer.ok) throw new Error(`the sandbox answered the fault with ${answer.status}`);
  };

  /**
   * Runs a command of cambio-bridge to its end, and returns its output.
   * @param {string[]} args
   */
  const cli = async (args) => {
    try {
      return await run(node, [...NODE_FLAGS, MAIN, ...args], { env, cwd: projectFolder });
    } catch (error) {
      if (!(error instanceof CommandError)) throw error;
      throw new Failure(`\`cambio-bridge ${args.join(" ")}\` failed (${error.how}):\n${error.output.trim()}`);
    }
  };

  return {
    startSandbox: async () => {
      const port = new URL(settings.PARTNER_BASE_URL).port;
      const child = await start("sandbox", ["--port", port, ...PACE], undefined, [SANDBOX]);
      const url = `${settings.PARTNER_BASE_URL}/_sandbox/state`;
      await answering("The sandbox", child, url, (status) => status === 200);
      return child;
    },

    startBridge: async () => {
      const child = await start("bridge", ["serve"]);
      const url = `http://127.0.0.1:${settings.MANAGEMENT_PORT}/readyz`;
      await answering("The bridge", child, url, (status) => status === 200);
      return child;
    },

    startConsole: async () => {
      const child = await start("console", ["console"]);
      await answering(
        "The console",
        child,
        `http://127.0.0.1:${settings.CONSOLE_PORT}/`,
        (status) => status === 401,
      );
      return child;
    },

    /** Asks the partner to notify the bridge. */
    subscribe: async () => {
      const answer = await fetch(`${settings.PARTNER_BASE_URL}/corporate/v1/webhook/subscribe`, {
        method: "POST",
        headers: {
          authorization: `Bearer ${settings.PARTNER_ACCESS_TOKEN}`,
          "x-token": settings.PARTNER_X_TOKEN,
          "content-type": "application/json",
          accept: "application/json",
          "user-agent": `${settings.PARTNER_NAME}-fx`,
        },
        body: JSON.stringify({ url: webhookUrl(settings), events: ["TRANSACTION_STATUS_UPDATED"] }),
        signal: AbortSignal.timeout(REQUEST_MS),
      });
      const text = await answer.text();
      if (!answer.ok) throw new Error(`the sandbox answered the subscription with ${answer.status}: ${text}`);
    },

    /** Loses the next webhook of a status on its way. @param {string} status */
    loseWebhook: (status) =>
      addFault({ operation: "notification", kind: "drop", count: 1, match: { status } }),

    /** Executes the next accept, and ends its connection without an answer. */
    loseAnswer: () => addFault({ operation: "accept", kind: "reset", when: "after", count: 1 }),

    /**
     * @param {"events" | "results"} what
     * @param {(line: string) => void} onLine gets one JSON object per record
     */
    watch: (what, onLine) => start(`watch-${what}`, ["watch", what, "--json", "--from-beginning"], onLine),

    /** @param {string[]} args @returns {Promise<string>} */
    send: (args) => cli(["send", ...args]),

    /** The transaction whose event names the quote of a doubt; null while there is none. @param {string} commandId */
    evidenceOf: async (commandId) => {
      const lines = (await cli(["doubts", "--json"])).split("\n").filter((line) => line.startsWith("{"));
      const doubt = lines.map((line) => JSON.parse(line)).find((one) => one.commandId === commandId);
      const [evidence] = doubt?.evidence ?? [];
      return evidence ? String(evidence.transactionId) : null;
    },

    /** Ends a doubt as executed. It is young, so it takes force. @param {string} commandId @param {string} transactionId */
    endAsExecuted: (commandId, transactionId) =>
      cli([
        ...["resolve", commandId, "--as", "succeeded", "--transaction-id", transactionId, "--force"],
        ...["--by", "demo", "--note", `an event of transaction ${transactionId} names its quote`],
      ]),
  };
}

/** @typedef {ReturnType<typeof createSystem>} System */
