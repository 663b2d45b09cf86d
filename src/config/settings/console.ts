import { flag, headerName, list, oneOf, optionalText, origin, port, text, trustedCidrs } from "../setting.ts";

export const consoleSettings = {
  host: text({
    env: "CONSOLE_HOST",
    fallback: "127.0.0.1",
    help: "Address of the console; anything but this machine's own needs CONSOLE_AUTH.",
  }),
  port: port({ env: "CONSOLE_PORT", fallback: "8091", help: "Port of the console; 0 for any free one." }),
  auth: oneOf({
    env: "CONSOLE_AUTH",
    values: ["none", "basic", "proxy-header"],
    fallback: "none",
    help: "How people sign in to the console. With none it only shows, and offers no action.",
  }),
  usersFile: optionalText({
    env: "CONSOLE_USERS_FILE",
    help: "File with the users of basic, their roles and the hashes of their passwords.",
  }),
  userHeader: headerName({
    env: "CONSOLE_USER_HEADER",
    fallback: "X-Forwarded-User",
    help: "Header in which the proxy says who it is that asks (proxy-header).",
  }),
  trustedProxyCidrs: trustedCidrs({
    env: "CONSOLE_TRUSTED_PROXY_CIDRS",
    fallback: "",
    help: "Peers whose CONSOLE_USER_HEADER is believed (proxy-header).",
  }),
  operators: list({
    env: "CONSOLE_OPERATORS",
    fallback: "",
    help: "Users who may act (proxy-header); all others may only look.",
  }),
  fourEyes: flag({
    env: "CONSOLE_FOUR_EYES",
    help: "A second operator must say the same before a doubt is ended, in the console and on the command line.",
  }),
  origin: origin({
    env: "CONSOLE_ORIGIN",
    help: "Where browsers reach the console, such as https://console.example, when a proxy changes the Host.",
  }),
} as const;
