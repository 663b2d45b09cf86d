import type { Io } from "./io.ts";

/** For commands that change something: says at once what an interrupt does. */
export const sayWhenStopped = ({ stopped, err }: Io): void => {
  const say = (): void =>
    err("Stopping. What is being written is finished first. A second signal ends this command at once.");
  stopped.addEventListener("abort", say, { once: true });
};
