FROM node:26-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci
COPY tsconfig.json tsconfig.build.json ./
COPY src ./src
COPY sandbox ./sandbox
RUN npm run build

# The imitated partner, for development: docker build --target sandbox -t fx-sandbox .
FROM node:26-slim AS sandbox
WORKDIR /app
COPY package.json ./
COPY --from=build /app/sandbox/dist ./sandbox/dist
USER node
EXPOSE 8090
ENTRYPOINT ["node", "sandbox/dist/main.js"]

FROM node:26-slim
ENV NODE_ENV=production
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --omit=dev && npm cache clean --force
COPY schemas ./schemas
COPY --from=build /app/dist ./dist
USER node
EXPOSE 8080 9090
STOPSIGNAL SIGTERM
# Of serve /livez, else the console's pages: whichever of the two listens in this container.
HEALTHCHECK --interval=10s --timeout=3s --start-period=20s \
  CMD ["node", "-e", "const e = process.env, ask = (host, port, path) => fetch(`http://${host.includes(':') ? `[${host}]` : host}:${port}${path}`); ask(e.MANAGEMENT_HOST || '0.0.0.0', e.MANAGEMENT_PORT || 9090, '/livez').then((a) => a.ok, () => ask(e.CONSOLE_HOST || '127.0.0.1', e.CONSOLE_PORT || 8091, '/').then(() => true)).then((ok) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
# The flags of main.ts's first line. The first bounds the memory for short-lived objects to 48 MB; Node.js takes more than 100 MB by itself. See docs/setup.md.
# The second keeps V8 from taking the objects of a request for long-lived ones, which costs up to a third of the throughput.
ENTRYPOINT ["node", "--max-semi-space-size=16", "--no-allocation-site-pretenuring", "dist/main.js"]
CMD ["serve"]
