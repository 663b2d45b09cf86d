import type { Consumer } from "kafkajs";

/**
 * Hears when kafkajs is about to fetch from a broker again after a fetch that failed. It tries again by itself, without a word to the group, and
 * by then the topic may be another one of the same name. A fetch that ended is told of by FETCH, one that failed by nothing.
 */
export const onFetchRetry = (consumer: Consumer, fetchesAgain: () => void): void => {
  const { FETCH_START, FETCH } = consumer.events;
  const underWay = new Set<number>();
  consumer.on(FETCH_START, ({ payload: { nodeId } }) => {
    if (underWay.has(nodeId)) fetchesAgain();
    underWay.add(nodeId);
  });
  consumer.on(FETCH, ({ payload: { nodeId } }) => {
    underWay.delete(nodeId);
  });
};
