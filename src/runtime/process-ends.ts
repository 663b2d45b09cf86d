/** What the log needs of its process, so as not to keep it from ending. */
export type ProcessEnds = {
  /** Calls `run` at the end of the process, whatever its cause. `run` cannot wait for events. */
  atExit: (run: () => void) => void;
  /** Makes standard output, a pipe or socket, non-blocking for all that write to it. */
  unblock: () => void;
};
