import { createServices, type Services } from "../services/services.ts";
import { signInOf, type SignIn } from "../services/sign-in.ts";
import type { Config } from "../config/config.ts";
import { MISSING } from "../kafka/cluster/inspect.ts";
import { messageOf } from "../runtime/errors.ts";
import type { Log } from "../runtime/log.ts";
import { askBrokers, checkAdvertised, type BrokerAnswer } from "./brokers.ts";
import { fail, ok, runBounded, skipped, type Bounds, type Check, type Subject } from "./check.ts";
import { checkMembers } from "./members.ts";
import { checkRights } from "./rights.ts";
import { checkTopics } from "./topics.ts";

/** All checks together take less than 20 s, whatever hangs. */
const WHOLE_MS = 18_000;
/** Until then the brokers have been asked, so that something is left for the rest. */
const BROKERS_MS = 16_000;
const CLUSTER_MS = 8_000;
const AT_LEAST_MS = 1_000;
const TOKEN_MS = 8_000;

/** Asks for a token for Kafka. Nothing where Kafka takes none. */
const checkToken = async (
  { kafka }: Config,
  { tokens }: SignIn,
  { clock, signal }: Bounds,
): Promise<Check[]> => {
  if (!tokens) return [];
  const isMsk = kafka.saslMechanism === "aws-msk-iam";
  const name = isMsk
    ? "signer for MSK"
    : kafka.oauthTokenFile
      ? "KAFKA_OAUTH_TOKEN_FILE"
      : `token endpoint ${new URL(kafka.oauthTokenEndpoint ?? "http://unknown").host}`;
  try {
    await clock.within(TOKEN_MS, signal, tokens.ready());
    await tokens.token();
  } catch (error) {
    signal.throwIfAborted();
    const remedy = isMsk
      ? "see KAFKA_AWS_REGION, and the credentials that AWS's library finds here"
      : kafka.oauthTokenFile
        ? "see what writes that file, and whether it still runs"
        : "see KAFKA_OAUTH_TOKEN_ENDPOINT, KAFKA_OAUTH_CLIENT_ID, KAFKA_OAUTH_CLIENT_SECRET, and the scope and audience; check that it runs and can be reached";
    return [fail(name, `it gives no token (${messageOf(error)})`, remedy)];
  }
  return [ok(name, "gives tokens")];
};

/** The brokers that clients would use; or why there are none. */
const usableOf = (answers: readonly BrokerAnswer[], others: readonly Check[]): readonly string[] | string => {
  const usable = answers.filter(({ check }) => check.status !== "fail");
  if (usable.length === 0) return "no broker can be asked";
  const unreachable = others.filter(({ status }) => status === "fail").map(({ name }) => name);
  const advertised = usable.flatMap((answer) => answer.advertised);
  return advertised.length > 0 && advertised.every((broker) => unreachable.includes(`broker ${broker}`))
    ? "no broker that the cluster names can be reached"
    : usable.map(({ broker }) => broker);
};

/** The checks of brokers, rights, topics and groups. */
export const kafkaChecks = (config: Config, log: Log, bounds: Bounds): Subject[] => {
  const { clock } = bounds;
  const until = clock.monotonic() + WHOLE_MS;
  let signIn: SignIn;
  try {
    signIn = signInOf(config, { clock, log, random: Math.random });
  } catch (error) {
    const [detail = "", remedy = "correct it"] = messageOf(error).split(/: (?=run )/);
    return [{ group: "kafka", checks: Promise.resolve([fail("sign-in", detail, remedy)]) }];
  }
  /** They know no registry: its address may be missing. All share one source of tokens. */
  const servicesFor = (brokers: readonly string[]): Services =>
    createServices(
      {
        ...config,
        registry: { ...config.registry, url: "http://registry.invalid" },
        kafka: { ...config.kafka, brokers },
      },
      clock,
      log,
      { ...signIn, close: () => undefined },
    );
  let usable: readonly string[] | string = "no broker can be asked";
  const asked = runBounded("brokers", BROKERS_MS, bounds, async (own) => {
    const token = await checkToken(config, signIn, own);
    if (token.some(({ status }) => status === "fail")) {
      usable = "there is no token for Kafka";
      return token;
    }
    const answers = await askBrokers(config, servicesFor, own);
    const others = await checkAdvertised(config, answers, own);
    usable = usableOf(answers, others);
    return [...token, ...answers.map(({ check }) => check), ...others];
  });
  const further = (
    group: string,
    check: (config: Config, services: Services, bounds: Bounds) => Promise<readonly Check[]>,
  ): Subject => ({
    group,
    checks: asked.then(() => {
      if (typeof usable === "string") return skipped(group, usable);
      const leftMs = Math.max(until - clock.monotonic(), AT_LEAST_MS);
      const services = servicesFor(usable);
      return runBounded(group, Math.min(leftMs, CLUSTER_MS), bounds, (own) =>
        check(config, services, own),
      ).finally(services.close);
    }),
  });
  const rights = further("rights", checkRights);
  const unfiltered = further("topics", checkTopics);
  const topics = {
    ...unfiltered,
    checks: Promise.all([unfiltered.checks, rights.checks]).then(([found, denied]) => {
      // Without the right to see it, a topic looks as if it did not exist.
      const isDenied = (name: string) => denied.some((one) => one.status === "fail" && one.name === name);
      return found.filter(({ name, detail }) => detail !== MISSING || !isDenied(name));
    }),
  };
  const members = config.bridge.flows.includes("commands") ? [further("members", checkMembers)] : [];
  const subjects = [{ group: "kafka", checks: asked }, rights, topics, ...members];
  void Promise.allSettled(subjects.map(({ checks }) => checks)).then(signIn.close);
  return subjects;
};
