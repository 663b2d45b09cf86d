import {
  endpoint,
  flag,
  headerName,
  list,
  oneOf,
  optionalText,
  origin,
  port,
  text,
  trustedCidrs,
} from "../setting.ts";

export const consoleSettings = {
  host: text({
    env: "CONSOLE_HOST",
    fallback: "127.0.0.1",
    help: "Address that the console binds to; any other than loopback needs CONSOLE_AUTH.",
  }),
  port: port({ env: "CONSOLE_PORT", fallback: "8091", help: "Port of the console; 0 takes any free one." }),
  auth: oneOf({
    env: "CONSOLE_AUTH",
    values: ["none", "basic", "proxy-header"],
    fallback: "none",
    help: "How people sign in to the console; with none it is read-only.",
  }),
  usersFile: optionalText({
    env: "CONSOLE_USERS_FILE",
    help: "File with users, password hashes and roles (basic).",
  }),
  userHeader: headerName({
    env: "CONSOLE_USER_HEADER",
    fallback: "X-Forwarded-User",
    help: "Header in which the proxy names the signed-in user (proxy-header).",
  }),
  trustedProxyCidrs: trustedCidrs({
    env: "CONSOLE_TRUSTED_PROXY_CIDRS",
    fallback: "",
    help: "Proxies whose CONSOLE_USER_HEADER is trusted (proxy-header).",
  }),
  operators: list({
    env: "CONSOLE_OPERATORS",
    fallback: "",
    help: "Users who are operators (proxy-header); all others are viewers.",
  }),
  fourEyes: flag({
    env: "CONSOLE_FOUR_EYES",
    help: "A doubt ends only when a second person confirms it by the proposal's REF, in the console and on the command line.",
  }),
  origin: origin({
    env: "CONSOLE_ORIGIN",
    help: "Address that browsers use, such as https://console.example, where a proxy changes the Host header.",
  }),
  partnerContact: optionalText({
    env: "CONSOLE_PARTNER_CONTACT",
    help: "Whom to call at the partner about a doubt, such as a name and a phone number; shown with each doubt.",
  }),
  runbookUrl: endpoint({
    env: "CONSOLE_RUNBOOK_URL",
    help: "Address of your own runbook for doubts; linked with each doubt.",
  }),
} as const;
