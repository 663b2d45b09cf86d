import net from "node:net";
import { headers } from "./client.ts";

export type RawAnswer = { text: string; ended: "end" | "reset" | "still-open" };

/**
 * Sends one accept over a bare socket, and says what came back and how the connection ended. Waits for so long
 * after the request was sent, or after the first bytes of the answer.
 */
export const rawAccept = (
  url: string,
  quoteId: string,
  waitMs: number,
  since: "sent" | "answered" = "sent",
): Promise<RawAnswer> =>
  new Promise((resolve) => {
    const { hostname, port } = new URL(url);
    const socket = net.connect(Number(port), hostname);
    let text = "";
    let timer: NodeJS.Timeout | undefined;
    const wait = () => (timer ??= setTimeout(() => done("still-open"), waitMs));
    const done = (ended: RawAnswer["ended"]) => {
      clearTimeout(timer);
      socket.destroy();
      resolve({ text, ended });
    };
    socket.on("data", (chunk: Buffer) => {
      text += chunk.toString();
      if (since === "answered") wait();
    });
    socket.on("end", () => done("end"));
    socket.on("error", () => done("reset"));
    const body = '{"counterpartyId":"cp-1"}';
    const lines = Object.entries({
      host: "sandbox",
      connection: "close",
      ...headers,
      "content-length": body.length,
    });
    socket.write(
      `PUT /corporate/v1/quote/${quoteId}/accept HTTP/1.1\r\n` +
        `${lines.map(([name, value]) => `${name}: ${value}`).join("\r\n")}\r\n\r\n${body}`,
      () => since === "sent" && wait(),
    );
  });
