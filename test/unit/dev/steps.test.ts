import { Writable } from "node:stream";
import { expect, it } from "vitest";
import { createSteps } from "../../../dev/terminal/steps.mjs";
import { wantsColour } from "../../../dev/terminal/style.mjs";

const recorder = (isTTY: boolean) => {
  let text = "";
  const stream = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      text += chunk.toString();
      done();
    },
  });
  return {
    stream: Object.assign(stream, { isTTY, columns: 80 }) as unknown as NodeJS.WriteStream,
    text: () => text,
  };
};

it("writes plain lines where the output is no terminal", async () => {
  const { stream, text } = recorder(false);
  const { step, line, paint } = createSteps({ stream, env: {} });
  await step(
    "starting Kafka",
    () => Promise.resolve(9092),
    (port) => `Kafka on port ${port}`,
  );
  line(paint("red", "the end"));
  expect(text()).toMatch(/^ {2}… starting Kafka\n {2}✓ +\d\.\d s {2}Kafka on port 9092\nthe end\n$/);
});

it("tells which step failed and passes its error on", async () => {
  const { stream, text } = recorder(false);
  const { step } = createSteps({ stream, env: {} });
  await expect(step("building", () => Promise.reject(new Error("no tsc")))).rejects.toThrow("no tsc");
  expect(text()).toMatch(/✗ +\d\.\d s {2}building\n$/);
});

it("paints on a terminal only, and not where NO_COLOR asks for none", () => {
  expect(wantsColour({ isTTY: true }, {})).toBe(true);
  expect(wantsColour({ isTTY: true }, { NO_COLOR: "1" })).toBe(false);
  expect(wantsColour({ isTTY: true }, { TERM: "dumb" })).toBe(false);
  expect(wantsColour({}, {})).toBe(false);
});
