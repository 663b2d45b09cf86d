import { onTestFinished, test } from "vitest";
import { followEvents } from "../../../../src/notification/wire/follow-events.ts";
import type { Services } from "../../../../src/services/services.ts";
import { silent } from "../../../../src/cli/silent.ts";
import { systemClock } from "../../../../src/runtime/clock.ts";
import { eventually } from "../../../support/eventually.ts";
import { fakeKafka, TOPIC } from "../../kafka/consume/fake-kafka.ts";

test("an events topic that ends with the marker of a transaction is read to its end", async () => {
  const kafka = fakeKafka(2);
  kafka.append(0, ["a"], "no event");
  kafka.skipOffset(0);
  kafka.append(1, ["b"], "no event");
  const services = {
    ...{ clock: systemClock, log: silent, random: () => 0 },
    connectCluster: kafka.connectCluster,
    newClient: () => kafka.client,
    config: { topics: { transactionStatus: TOPIC }, webhook: { dedupWindowMs: 7_200_000 } },
  } as unknown as Services;
  const followed = await followEvents(services, 1);
  onTestFinished(followed.close);
  await eventually(() => followed.state().detail === "caught up", "the topic to be read");
});
