// The simplest partner: answers every accept with 200 after a fixed time, and remembers the order of the quotes.
// GET /calls gives the quotes called since the last GET /calls; PUT /latency/50 sets the time in ms.
import { createServer } from "node:net";

const { port } = JSON.parse(process.argv[2] ?? "{}");
const HEAD_END = "\r\n\r\n";
let latencyMs = 5;
/** @type {string[]} */
let calls = [];

/** @param {string} body @param {boolean} last */
const answer = (body, last) =>
  `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n` +
  `${last ? "connection: close\r\n" : ""}\r\n${body}`;

/** @param {import("node:net").Socket} socket @param {string} request its head */
function serve(socket, request) {
  const [method = "", path = ""] = request.split(" ", 2);
  const last = /\r\nconnection: close/i.test(request);
  /** @param {string} body */
  const reply = (body) => {
    if (last) socket.end(answer(body, true));
    else socket.write(answer(body, false));
  };
  if (path === "/calls") {
    reply(JSON.stringify(calls));
    calls = [];
  } else if (path.startsWith("/latency/")) {
    latencyMs = Number(path.slice("/latency/".length));
    reply("{}");
  } else if (method === "PUT") {
    calls.push(path.split("/").at(-2) ?? "");
    setTimeout(() => !socket.destroyed && reply('{"status":"ACCEPTED"}'), latencyMs);
  } else {
    reply("{}");
  }
}

createServer({ noDelay: true }, (socket) => {
  let received = "";
  socket.on("error", () => socket.destroy());
  socket.on("data", (chunk) => {
    received += chunk.toString("latin1");
    const headEnd = received.indexOf(HEAD_END);
    if (headEnd < 0) return;
    const bodyLength = Number(/\r\ncontent-length: (\d+)/i.exec(received)?.[1] ?? 0);
    if (received.length < headEnd + HEAD_END.length + bodyLength) return;
    const head = received.slice(0, headEnd);
    received = "";
    serve(socket, head);
  });
}).listen({ port, host: "127.0.0.1", backlog: 1024 });
