import type { Consumer } from "kafkajs";

/**
 * Calls back when kafkajs fetches from a broker again after a failed fetch. kafkajs retries by itself,
 * without a rebalance, and meanwhile the topic may have been deleted and created again. kafkajs emits FETCH
 * for a fetch that succeeded, and nothing for one that failed.
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
