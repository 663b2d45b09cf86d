import { parseFaultRule } from "./faults/fault-rules.ts";
import { stories, type Story, type StoryName } from "./stories.ts";
import type { SimulatedPartner } from "./simulated-partner.ts";

/**
 * Installs a story's faults, creates its quotes, and accepts them if the story says so. Returns the quoteIds.
 */
export const runStory = (partner: SimulatedPartner, name: StoryName): string[] => {
  const story: Story = stories[name];
  for (const fault of story.faults) partner.faults.add(parseFaultRule(fault));
  return story.quotes.map((request, nth) => {
    const { quoteId } = partner.quotes.create(request);
    if (story.accepts)
      partner.quotes.accept(quoteId, { counterpartyId: "sandbox-story", externalId: `${name}-${nth + 1}` });
    return quoteId;
  });
};
