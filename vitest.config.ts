import { defineConfig } from "vitest/config";

const kafka = { globalSetup: ["test/support/kafka-setup.ts"] };

/** What needs the machine for itself: one file after the other. */
const alone = { fileParallelism: false };

/** One project per kind of test, run in this order. */
const projects = [
  { name: "unit", testTimeout: 10_000 },
  { name: "simulation", testTimeout: 120_000 },
  { name: "integration", testTimeout: 60_000, hookTimeout: 60_000, ...kafka },
  { name: "e2e", testTimeout: 180_000, hookTimeout: 120_000, ...alone, ...kafka },
  { name: "faults", testTimeout: 180_000, hookTimeout: 120_000, ...alone, ...kafka },
];

export default defineConfig({
  test: {
    projects: projects.map((project, groupOrder) => ({
      test: { ...project, include: [`test/${project.name}/**/*.test.ts`], sequence: { groupOrder } },
    })),
  },
});
