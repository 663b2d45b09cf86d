import { expect, test } from "vitest";
import { blocks, documents } from "../support/documents.ts";
import { loadMermaid } from "../support/mermaid.ts";

const DOWNLOAD_MS = 90_000;

/** Each diagram with where it stands. */
const diagrams = documents.flatMap((name) =>
  blocks(name, "mermaid").map((diagram, i) => ({ name: `${name}, diagram ${i + 1}`, diagram })),
);

test(
  "every diagram of the documents can be shown",
  async ({ skip }) => {
    const mermaid = await loadMermaid();
    if (mermaid === null) return skip("mermaid cannot be fetched here");
    expect(diagrams.map(({ name }) => name)).toEqual(
      expect.arrayContaining(["README.md, diagram 1", "docs/accept-protocol.md, diagram 1"]),
    );
    for (const { name, diagram } of diagrams)
      await mermaid.parse(diagram).catch((error: unknown) => {
        throw new Error(`${name}: ${String(error)}`, { cause: error });
      });
    await expect(mermaid.parse("stateDiagram-v2\n  Free ->-> Held")).rejects.toThrow(/Parse error/);
  },
  DOWNLOAD_MS,
);
