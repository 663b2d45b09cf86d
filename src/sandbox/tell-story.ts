import { parseFaultRule } from "./faults/fault-rules.ts";
import { stories, type Story, type StoryName } from "./stories.ts";
import type { World } from "./world.ts";

/** Installs a story's faults, creates its quotes, and accepts them if the story says so. Returns the quotes' ids. */
export const tellStory = (world: World, name: StoryName): string[] => {
  const story: Story = stories[name];
  for (const fault of story.faults) world.faults.add(parseFaultRule(fault));
  return story.quotes.map((request, nth) => {
    const { quoteId } = world.quotes.create(request);
    if (story.accepts)
      world.quotes.accept(quoteId, { counterpartyId: "sandbox-story", externalId: `${name}-${nth + 1}` });
    return quoteId;
  });
};
