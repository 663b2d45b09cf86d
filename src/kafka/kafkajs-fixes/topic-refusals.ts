/*
 * kafkajs 2.2.4 throws away the broker's own sentence on why it does not create a topic, and its error code with it.
 * Mended when "topic-refusals.ts" in faults.test.ts fails.
 */
import { errorOfCode } from "../errors.ts";
import { replaceModule } from "./replace-module.ts";

type Answer = { topicErrors: readonly { errorCode: number; errorMessage?: string | null }[] };
type Response = { parse: (answer: Answer) => Promise<unknown> };

const TOPIC_ALREADY_EXISTS = 36;
/** The first and the last version of kafkajs's request whose answer has a sentence. */
const [FIRST_VERSION, LAST_VERSION] = [1, 3];

/** Makes the refusal of a new topic an error with the broker's code and sentence. */
export const keepTopicRefusals = (): void => {
  for (let version = LAST_VERSION; version >= FIRST_VERSION; version -= 1)
    replaceModule<Response>(`requests/createTopics/v${version}/response`, [], ({ parse, ...others }) => ({
      ...others,
      parse: async (answer) => {
        const refusal = answer.topicErrors.find(
          ({ errorCode: code }) => code !== 0 && code !== TOPIC_ALREADY_EXISTS,
        );
        if (!refusal) return parse(answer);
        const error = errorOfCode(refusal.errorCode);
        throw Object.assign(error, { message: refusal.errorMessage ?? error.message });
      },
    }));
};
