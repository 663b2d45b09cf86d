import { expect, test } from "vitest";
import { rangesOf } from "../../../../src/bridge/console/ranges.ts";
import { errorOfCode } from "../../../../src/kafka/errors.ts";

const UNKNOWN_TOPIC_OR_PARTITION = 3;

test("a topic that is not there is not simply to be created: it may be the journal", async () => {
  const cluster = { ranges: () => Promise.reject(errorOfCode(UNKNOWN_TOPIC_OR_PARTITION)) };
  const said = await rangesOf(cluster, "journal").catch(String);
  expect(said).toContain("There is no topic journal");
  expect(said).toContain("cambio-bridge doctor");
  expect(said).not.toContain("cambio-bridge setup");
});
