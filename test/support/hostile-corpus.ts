/** A body from an authentic sender, and the event that it must become. */
export type HostileCase = {
  name: string;
  /** Built on demand, because some are large. */
  body: () => Buffer;
  /** The fields of the event, or null for a body that becomes a dead letter. */
  becomes: { transactionId: string; status: string; createdAt: string } | null;
};

const understood = (
  name: string,
  body: string | (() => string) | Buffer,
  becomes: Partial<NonNullable<HostileCase["becomes"]>> = {},
): HostileCase => ({
  ...refused(name, body),
  becomes: { transactionId: "t", status: "S", createdAt: "", ...becomes },
});

const refused = (name: string, body: string | (() => string) | Buffer): HostileCase => ({
  name,
  body: () => (Buffer.isBuffer(body) ? body : Buffer.from(typeof body === "string" ? body : body(), "utf8")),
  becomes: null,
});

/** A notification of transaction `t` with status `S` and more members. */
const plus = (members: string): string => `{"transactionId":"t","status":"S",${members}}`;
const bytes = (...parts: (string | number[])[]): Buffer =>
  Buffer.concat(
    parts.map((part) => (typeof part === "string" ? Buffer.from(part, "utf8") : Buffer.from(part))),
  );
const DEEP = 30_000;

/** Bodies below 64 KiB, the default limit. {@link hugeCorpus} has larger ones. */
export const hostileCorpus: readonly HostileCase[] = [
  // no JSON object
  refused("no bytes", ""),
  refused("white space alone", " \n\t "),
  refused("an array of one notification", `[${plus('"x":1')}]`),
  refused("an empty object", "{}"),
  refused("two objects", '{"transactionId":"t","status":"S"}{"transactionId":"u","status":"S"}'),
  refused("an object and a NUL", '{"transactionId":"t","status":"S"}\0'),
  refused("a cut-off object", '{"transactionId":"t","status":"S"'),
  refused("a cut-off string", '{"transactionId":"t","status":"S'),
  refused("a cut-off \\u escape", '{"transactionId":"t","status":"\\u12'),
  refused("a trailing comma", '{"transactionId":"t","status":"S",}'),
  refused("a number with a leading zero", plus('"x":01')),
  refused("a line feed inside a string", plus('"x":"\n"')),
  refused("a NUL inside a string, not escaped", plus('"x":"\0"')),
  refused("an array with a trailing comma", plus('"x":[1,]')),
  refused("a no-break space between tokens", '{"transactionId":"t",\u00a0"status":"S"}'),
  refused("deep nesting that never closes", `{"x":${"[".repeat(DEEP)}`),
  refused("deep nesting closed once too often", plus(`"x":${"[".repeat(DEEP)}${"]".repeat(DEEP + 1)}`)),
  // bytes that are no UTF-8
  refused("a lone continuation byte", bytes('{"transactionId":"', [0x80], '","status":"S"}')),
  refused("a cut-off sequence", bytes('{"transactionId":"t', [0xe2, 0x82], '","status":"S"}')),
  refused("an overlong slash", bytes('{"transactionId":"', [0xc0, 0xaf], '","status":"S"}')),
  refused("an encoded surrogate", bytes('{"transactionId":"', [0xed, 0xa0, 0x80], '","status":"S"}')),
  refused("Latin-1", Buffer.from('{"transactionId":"S\u00e3o","status":"S"}', "latin1")),
  refused("UTF-16", Buffer.from('\ufeff{"transactionId":"t","status":"S"}', "utf16le")),
  // the wrong types
  refused("transactionId missing", '{"status":"S"}'),
  refused("transactionId null", '{"transactionId":null,"status":"S"}'),
  refused("transactionId empty", '{"transactionId":"","status":"S"}'),
  refused("transactionId an object", '{"transactionId":{"id":"t"},"status":"S"}'),
  refused("transactionId an array", '{"transactionId":["t"],"status":"S"}'),
  refused("status missing", '{"transactionId":"t"}'),
  refused("status empty", '{"transactionId":"t","status":""}'),
  refused("status a number", '{"transactionId":"t","status":1}'),
  refused("names in other case", '{"TransactionId":"t","Status":"S"}'),
  refused("inside an envelope", '{"data":{"transactionId":"t","status":"S"}}'),
  refused("inside __proto__", '{"__proto__":{"transactionId":"t","status":"S"}}'),
  refused("a good status that a bad one follows", '{"transactionId":"t","status":"S","status":7}'),
  // understood all the same
  understood("the least", '{"transactionId":"t","status":"S"}'),
  understood("white space all over", ' \r\n{ "transactionId"\t:\n"t" , "status" : "S" } \n'),
  understood("a byte order mark", '\ufeff{"transactionId":"t","status":"S"}'),
  understood("a number as transactionId", '{"transactionId":12345678901234567890.10,"status":"S"}', {
    transactionId: "12345678901234567890.10",
  }),
  understood("a negative number as transactionId", '{"transactionId":-0e+1,"status":"S"}', {
    transactionId: "-0e+1",
  }),
  understood("transactionId 0", '{"transactionId":0,"status":"S"}', { transactionId: "0" }),
  understood("white space as transactionId", '{"transactionId":" ","status":"S"}', { transactionId: " " }),
  understood("a name written with escapes", '{"transaction\\u0049d":"t","\\u0073tatus":"S"}'),
  understood("escapes", '{"transactionId":"\\"\\\\\\/\\b\\f\\n\\r\\t\\u0041","status":"S"}', {
    transactionId: '"\\/\b\f\n\r\tA',
  }),
  understood("a NUL, escaped", '{"transactionId":"a\\u0000b","status":"S"}', { transactionId: "a\0b" }),
  understood("line feeds in every field", '{"transactionId":"a\\nb","status":"c\\nd","createdAt":"e\\nf"}', {
    transactionId: "a\nb",
    status: "c\nd",
    createdAt: "e\nf",
  }),
  understood("lone surrogates", '{"transactionId":"\\ud800","status":"\\udfff","createdAt":"x\\ud83d"}', {
    transactionId: "\ufffd",
    status: "\ufffd",
    createdAt: "x\ufffd",
  }),
  understood("a surrogate pair, escaped", '{"transactionId":"\\ud83d\\ude00","status":"S"}', {
    transactionId: "\u{1f600}",
  }),
  understood("an emoji and U+2028", '{"transactionId":"\u{1f600}\u2028","status":"S"}', {
    transactionId: "\u{1f600}\u2028",
  }),
  understood(
    "a duplicate transactionId: the last counts",
    '{"transactionId":"s","status":"S","transactionId":"t"}',
  ),
  understood("a bad status that a good one follows", '{"transactionId":"t","status":7,"status":"S"}'),
  understood("__proto__", plus('"__proto__":{"status":"X","transactionId":"x","polluted":true}')),
  understood("constructor.prototype", plus('"constructor":{"prototype":{"polluted":true}}')),
  understood("toString, hasOwnProperty and then", plus('"toString":1,"hasOwnProperty":null,"then":{}')),
  understood("an unknown status that is a name of Object", '{"transactionId":"t","status":"__proto__"}', {
    status: "__proto__",
  }),
  understood("createdAt null", plus('"createdAt":null')),
  understood("createdAt empty", plus('"createdAt":""')),
  understood("createdAt the word null", plus('"createdAt":"null"'), { createdAt: "null" }),
  understood("createdAt a number", plus('"createdAt":1795262400.50'), { createdAt: "1795262400.50" }),
  understood("createdAt beyond all numbers", plus('"createdAt":1e999'), { createdAt: "1e999" }),
  understood("createdAt true", plus('"createdAt":true'), { createdAt: "true" }),
  understood("createdAt an object", plus('"createdAt": { "$date" : 1.0 } '), {
    createdAt: '{ "$date" : 1.0 }',
  }),
  understood("createdAt an array", plus('"createdAt":[2026,11,21]'), { createdAt: "[2026,11,21]" }),
  understood("createdAt an impossible day", plus('"createdAt":"2026-02-30T00:00:00Z"'), {
    createdAt: "2026-02-30T00:00:00Z",
  }),
  understood("numbers that no double holds", plus('"x":123456789012345678901234567890.12345678901234567890')),
  understood("every kind of value", plus('"x":[{},[],"",0,-1.5e-7,true,false,null,{"y":[{"z":[[]]}]}]')),
  understood("deep arrays", plus(`"x":${"[".repeat(DEEP)}${"]".repeat(DEEP)}`)),
  understood("deep objects", plus(`"x":${'{"y":'.repeat(DEEP / 3)}1${"}".repeat(DEEP / 3)}`)),
  understood("many members", plus(Array.from({ length: 5_000 }, (_, i) => `"k${i}":${i}`).join(","))),
  understood("many members of one name", plus(Array.from({ length: 8_000 }, () => '"k":1').join(","))),
  understood("many backslashes", plus(`"x":"${"\\\\".repeat(DEEP)}"`)),
  understood("a long transactionId", `{"transactionId":"${"t".repeat(60_000)}","status":"S"}`, {
    transactionId: "t".repeat(60_000),
  }),
];

const MEGABYTES_10 = 10_000_000;

/** For a raised limit: large bodies must not take disproportionate time or memory. */
export const hugeCorpus: readonly HostileCase[] = [
  understood("10 MB in a string", () => plus(`"x":"${"x".repeat(MEGABYTES_10)}"`)),
  understood("10 MB of escapes", () => plus(`"x":"${"\\u0000".repeat(MEGABYTES_10 / 6)}"`)),
  understood("10 MB of nesting", () =>
    plus(`"x":${"[".repeat(MEGABYTES_10 / 2)}${"]".repeat(MEGABYTES_10 / 2)}`),
  ),
  refused("10 MB of open brackets", () => `{"x":${"[".repeat(MEGABYTES_10)}`),
  understood("10 MB of empty objects", () => plus(`"x":[${"{},".repeat(MEGABYTES_10 / 3)}0]`)),
  understood("10 MB of white space", () => `${" ".repeat(MEGABYTES_10)}{"transactionId":"t","status":"S"}`),
  understood("10 MB of digits", () => plus(`"x":${"1".repeat(MEGABYTES_10)}`)),
  understood("10 MB as createdAt", () => plus(`"createdAt":"${"1".repeat(MEGABYTES_10)}"`), {
    createdAt: "1".repeat(MEGABYTES_10),
  }),
  refused("10 MB of backslashes, cut off", () => `{"x":"${"\\\\".repeat(MEGABYTES_10 / 2)}\\`),
];
