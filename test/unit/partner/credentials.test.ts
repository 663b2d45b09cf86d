import { expect, it } from "vitest";
import { ACCEPT, answer, free, partnerOf, serve } from "./hostile-server.ts";

it("credentials are read again after a 401, and never repeated from its answer", async () => {
  // Knows the new token only, and repeats what it was given.
  const server = await serve({
    onRequest: (socket, index) => {
      const { text } = server.seen[index]!;
      socket.write(text.includes("Bearer new-token\r\n") ? answer("200 OK") : answer("401 No", text));
    },
  });
  let current = { accessToken: "old-token", xToken: "old-x" };
  const reload = (): void => {
    current = { accessToken: "new-token", xToken: "new-x" };
  };
  const partner = partnerOf(server, { credentials: { current: () => current, reload } });
  const outcomes = await Promise.all([1, 2, 3].map(() => partner.call(ACCEPT, free())));
  expect(outcomes.map(({ kind }) => kind)).toEqual(["unauthorized", "unauthorized", "unauthorized"]);
  expect(JSON.stringify(outcomes)).not.toMatch(/old-token|old-x/);
  expect(JSON.stringify(outcomes)).toContain("Bearer ***");
  expect((await partner.call(ACCEPT, free())).kind).toBe("executed");
});
