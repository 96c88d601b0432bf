# syntax=docker/dockerfile:1
# Builds both npm packages from this clone, and installs them without build tools: docker build -t barograph .
FROM node:22-bookworm-slim AS build
WORKDIR /build
COPY . .
RUN npm ci --no-audit --no-fund && mkdir /packed && npm run pack -- /packed

FROM node:22-bookworm-slim
ENV NODE_ENV=production \
    BAROGRAPH_DATA_DIR=/var/lib/barograph \
    PATH=/opt/barograph/node_modules/.bin:$PATH
COPY --from=build /packed /tmp/packed
RUN npm install --prefix /opt/barograph --no-audit --no-fund /tmp/packed/*.tgz \
    && rm -rf /tmp/packed /root/.npm \
    && install -d -o node -g node -m 0700 /var/lib/barograph
USER node
VOLUME /var/lib/barograph
EXPOSE 4680
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=15s --timeout=5s --start-period=60s --retries=3 \
    CMD ["node", "-e", "fetch('http://127.0.0.1:' + (process.env.BAROGRAPH_PORT || 4680) + '/healthz').then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "--enable-source-maps", "/opt/barograph/node_modules/barograph-server/app/dist/server/main.mjs"]
