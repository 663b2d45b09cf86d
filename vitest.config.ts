import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";

const kafka = { globalSetup: ["test/support/kafka-setup.ts"] };

/** What needs the machine for itself: one file after the other. */
const alone = { fileParallelism: false };
/** What computes, and waits in between: a file per core, and one more. */
const onEachCore = { maxWorkers: availableParallelism() + 1 };
/** What mostly waits, for a Kafka that all share but in topics and groups of each file's own. */
const sideBySide = { maxWorkers: 4 };

/** How long `expect.poll` waits: less than a test may take, so that its own error is reported. */
const polling = (timeout: number) => ({ expect: { poll: { timeout } } });

/** One project per kind of test. Those that compute run together first, then those that need Kafka. */
const projects = [
  { name: "unit", groupOrder: 0, testTimeout: 20_000, ...polling(8_000), ...onEachCore },
  { name: "simulation", groupOrder: 0, testTimeout: 120_000, ...onEachCore },
  {
    name: "integration",
    groupOrder: 1,
    testTimeout: 120_000,
    hookTimeout: 120_000,
    ...polling(15_000),
    ...sideBySide,
    ...kafka,
  },
  { name: "e2e", groupOrder: 1, testTimeout: 180_000, hookTimeout: 120_000, ...sideBySide, ...kafka },
  { name: "faults", groupOrder: 2, testTimeout: 180_000, hookTimeout: 120_000, ...alone, ...kafka },
];

const foldersOf = (project: string): string[] => (project === "unit" ? ["unit", "sandbox"] : [project]);

export default defineConfig({
  test: {
    projects: projects.map(({ groupOrder, ...project }) => ({
      test: {
        ...project,
        include: foldersOf(project.name).map((folder) => `test/${folder}/**/*.test.ts`),
        sequence: { groupOrder },
      },
    })),
  },
});
