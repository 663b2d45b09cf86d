/** A client of the imitated API, as short as can be. */
export const headers: Record<string, string> = {
  authorization: "Bearer access",
  "x-token": "x",
  "content-type": "application/json",
  accept: "application/json",
  "user-agent": "acme-fx",
};

export const aQuote = {
  direction: "OUTBOUND",
  purpose: "COMEX",
  quotedAmount: "1000.00",
  baseCurrencyIso: "USD",
  quotedCurrencyIso: "BRL",
} as const;

export type Reply = { status: number; headers: Headers; text: string; json: unknown };

const read = async (response: Response): Promise<Reply> => {
  const text = await response.text();
  const isJson = response.headers.get("content-type")?.startsWith("application/json") ?? false;
  return {
    status: response.status,
    headers: response.headers,
    text,
    json: isJson ? JSON.parse(text) : undefined,
  };
};

export const clientOf = (url: string) => {
  const send = async (
    method: string,
    path: string,
    body?: unknown,
    over: Record<string, string | undefined> = {},
  ) => {
    const sent = Object.entries({ ...headers, ...over }).filter(
      (pair): pair is [string, string] => pair[1] !== undefined,
    );
    return read(
      await fetch(url + path, {
        method,
        headers: Object.fromEntries(sent),
        ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
      }),
    );
  };
  return {
    send,
    create: (over: object = {}) => send("POST", "/corporate/v1/quote", { ...aQuote, ...over }),
    accept: (quoteId: string, body: object = { counterpartyId: "cp-1" }) =>
      send("PUT", `/corporate/v1/quote/${encodeURIComponent(quoteId)}/accept`, body),
    subscribe: (webhook: string) =>
      send("POST", "/corporate/v1/webhook/subscribe", {
        url: webhook,
        events: ["TRANSACTION_STATUS_UPDATED"],
      }),
    logs: (query = "") => send("GET", `/corporate/v1/webhook/logs${query}`),
    control: async <T>(method: string, path: string, body?: unknown): Promise<T> =>
      (await send(method, `/_sandbox/${path}`, body)).json as T,
    createdId: async (): Promise<string> =>
      ((await send("POST", "/corporate/v1/quote", aQuote)).json as { quoteId: string }).quoteId,
  };
};

export type Client = ReturnType<typeof clientOf>;
