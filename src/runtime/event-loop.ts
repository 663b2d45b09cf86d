/** Lets the event loop poll for I/O: resolves at the end of the poll phase under way, or of the next one. */
export const yieldToEventLoop = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Resolves after a whole turn of the event loop. What had arrived on a socket before the call has been read by then. */
export const fullEventLoopTurn = async (): Promise<void> => {
  // The first poll phase may have begun before the data arrived. The second one began after the call.
  await yieldToEventLoop();
  await yieldToEventLoop();
};
