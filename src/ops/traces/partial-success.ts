export type PartialSuccess = { rejectedSpans: number; reason: string };

/** The line that the library logs. Only it tells how many spans were rejected; a test notices a change. */
const LINE = "Received Partial Success response:";

/** Keeps what the library logs of an export that the collector took in part, until the library calls back. */
export const keepPartialSuccess = () => {
  let kept: PartialSuccess | null = null;
  return {
    /** Sees every line that the library logs. The library logs this one just before it calls back. */
    see: (line: string, json: unknown): void => {
      if (line !== LINE || typeof json !== "string") return;
      const said = JSON.parse(json) as { rejectedSpans?: number; errorMessage?: string };
      const reason = `the collector rejected them: ${said.errorMessage || "it does not say why"}`;
      kept = { rejectedSpans: said.rejectedSpans ?? 0, reason };
    },
    /** What was seen of the export that calls back now. */
    take: (): PartialSuccess | null => {
      const taken = kept;
      kept = null;
      return taken;
    },
  };
};
