import { describe, expect, it } from "vitest";
import { ACCEPT, answer, free, partnerOf, serve } from "./hostile-server.ts";

/** Knows the new token only, and repeats what it was given. */
const partnerThatRotated = async (
  reload: () => Promise<void>,
  current: () => { accessToken: string; xToken: string },
) => {
  const server = await serve({
    onRequest: (socket, index) => {
      const { text } = server.seen[index]!;
      socket.write(text.includes("Bearer new-token\r\n") ? answer("200 OK") : answer("401 No", text));
    },
  });
  return partnerOf(server, { credentials: { current, reload } });
};

describe("credentials", () => {
  it("are read again after a 401, once for all calls that they failed", async () => {
    let current = { accessToken: "old-token", xToken: "old-x" };
    let reloads = 0;
    const reload = async (): Promise<void> => {
      reloads++;
      await new Promise((next) => setImmediate(next));
      current = { accessToken: "new-token", xToken: "new-x" };
    };
    const partner = await partnerThatRotated(reload, () => current);
    const outcomes = await Promise.all([1, 2, 3].map(() => partner.call(ACCEPT, free())));
    expect(outcomes.map(({ kind }) => kind)).toEqual(["unauthorized", "unauthorized", "unauthorized"]);
    expect(reloads).toBe(1);
    expect(JSON.stringify(outcomes)).not.toMatch(/old-token|old-x/);
    expect(JSON.stringify(outcomes)).toContain("Bearer ***");
    expect((await partner.call(ACCEPT, free())).kind).toBe("executed");
    expect(reloads).toBe(1);
  });

  it("that cannot be read again change nothing", async () => {
    const current = { accessToken: "old-token", xToken: "old-x" };
    const partner = await partnerThatRotated(
      () => Promise.reject(new Error("no such file")),
      () => current,
    );
    expect((await partner.call(ACCEPT, free())).kind).toBe("unauthorized");
    expect((await partner.call(ACCEPT, free())).kind).toBe("unauthorized");
  });
});
