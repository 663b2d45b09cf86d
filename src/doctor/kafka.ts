import type { Services } from "../services/services.ts";
import type { Config } from "../config/config.ts";
import type { Log } from "../runtime/log.ts";
import { messageOf } from "../runtime/errors.ts";
import { askBrokers, checkAdvertised, ofOneCluster, type BrokerAnswer } from "./brokers.ts";
import { fail, runBounded, skipped, type Bounds, type Check, type Subject } from "./check.ts";
import { checkMembers } from "./members.ts";
import { checkRights } from "./rights.ts";
import { openAccess, type KafkaAccess } from "./access.ts";
import { checkToken } from "./token.ts";
import { checkTopics, MISSING } from "./topics.ts";

/** All checks together take less than 20 s, whatever hangs. */
const WHOLE_MS = 18_000;
/** Until then the brokers have been asked, so that something is left for the rest. */
const BROKERS_UNTIL_MS = 16_000;
const CLUSTER_MS = 8_000;
const AT_LEAST_MS = 1_000;

/** What is known once the brokers were asked. `usable`: those that the further checks may ask; or why there are none. */
type Asked = { checks: readonly Check[]; usable: readonly string[] | string };

/** The brokers that clients would use; or why there are none. */
const usableOf = (answers: readonly BrokerAnswer[], others: readonly Check[]): readonly string[] | string => {
  const usable = answers.filter(({ check }) => check.status !== "fail");
  if (usable.length === 0) return "no broker can be asked";
  const unreachable = new Set(others.filter(({ status }) => status === "fail").map(({ name }) => name));
  const advertised = usable.flatMap((answer) => answer.advertised);
  return advertised.length > 0 && advertised.every((broker) => unreachable.has(`broker ${broker}`))
    ? "no broker that the cluster names can be reached"
    : usable.map(({ broker }) => broker);
};

const askAll = async (config: Config, access: KafkaAccess, bounds: Bounds): Promise<Asked> => {
  const answers = ofOneCluster(await askBrokers(config, access, bounds));
  const others = await checkAdvertised(config, answers, bounds);
  return { checks: [...answers.map(({ check }) => check), ...others], usable: usableOf(answers, others) };
};

const ask = async (config: Config, access: KafkaAccess, bounds: Bounds): Promise<Asked> => {
  const { clock, signal } = bounds;
  const until = clock.monotonic() + BROKERS_UNTIL_MS;
  const token = await checkToken(config, access.signIn, bounds);
  if (token?.status === "fail") return { checks: [token], usable: "there is no token for Kafka" };
  try {
    const { checks, usable } = await clock.withDeadline(until - clock.monotonic(), signal, (own) =>
      askAll(config, access, { clock, signal: own }),
    );
    return { checks: token ? [token, ...checks] : checks, usable };
  } catch (error) {
    signal.throwIfAborted();
    const unasked = fail(
      "brokers",
      `could not be asked in time (${messageOf(error)})`,
      "check that they answer",
    );
    return { checks: token ? [token, unasked] : [unasked], usable: "no broker can be asked" };
  }
};

/** The checks of brokers, rights, topics and groups. */
export const kafkaChecks = (config: Config, log: Log, bounds: Bounds): Subject[] => {
  const { clock } = bounds;
  const until = clock.monotonic() + WHOLE_MS;
  let access: KafkaAccess;
  try {
    access = openAccess(config, log, bounds);
  } catch (error) {
    const [detail = "", remedy = "correct it"] = messageOf(error).split(/: (?=run )/);
    return [{ group: "kafka", checks: Promise.resolve([fail("sign-in", detail, remedy)]) }];
  }
  const asked = ask(config, access, bounds);
  const further = (
    group: string,
    check: (services: Services, bounds: Bounds) => Promise<readonly Check[]>,
  ): Subject => ({
    group,
    checks: asked.then(({ usable }) => {
      if (typeof usable === "string") return skipped(group, usable);
      const leftMs = Math.max(until - clock.monotonic(), AT_LEAST_MS);
      const services = access.servicesFor(usable);
      return runBounded(group, Math.min(leftMs, CLUSTER_MS), bounds, (own) => check(services, own));
    }),
  });
  const rights = further("rights", (services, own) => checkRights(config, services, own));
  const topics = further("topics", (services, own) => checkTopics(config, services, own));
  const members = config.bridge.flows.includes("commands")
    ? [further("members", (services, own) => checkMembers(config, services, own))]
    : [];
  const subjects = [
    { group: "kafka", checks: asked.then(({ checks }) => checks) },
    rights,
    // Without the right to see it, a topic looks as if it did not exist.
    {
      ...topics,
      checks: Promise.all([topics.checks, rights.checks]).then(([found, denied]) =>
        found.filter(
          ({ name, detail }) =>
            detail !== MISSING || !denied.some((one) => one.status === "fail" && one.name === name),
        ),
      ),
    },
    ...members,
  ];
  void Promise.allSettled(subjects.map(({ checks }) => checks)).then(access.close);
  return subjects;
};
