/** Resolves when the poll phase of the event loop that is under way, or the next one, is over. */
export const yieldToEventLoop = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** A whole turn of the event loop: what had already arrived on a socket has been noticed after it. */
export const fullEventLoopTurn = async (): Promise<void> => {
  // The first ends the poll phase that is under way, which may have begun before something arrived; the second the next one.
  await yieldToEventLoop();
  await yieldToEventLoop();
};
