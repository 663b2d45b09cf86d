const jitter = 0.2;

/** Uniformly distributed around `meanMs`, by up to a fifth to either side. */
export const jittered = (meanMs: number): number => meanMs * (1 + jitter * (2 * Math.random() - 1));
