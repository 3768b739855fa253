# Builds the image of the app that APP names: docker build --build-arg APP=poller . (docs/operate/images.md)
ARG BASE=node:24-bookworm-slim
ARG APP=poller

# Workspaces and locked versions alone, so that a change of source does not install packages again.
FROM ${BASE} AS manifests
WORKDIR /source
COPY . .
RUN mkdir /manifests \
  && cp --parents .npmrc package.json package-lock.json apps/*/package.json libs/*/package.json examples/package.json test/package.json tools/package.json tools/empty-package/package.json \
    /manifests

FROM ${BASE} AS dependencies
WORKDIR /source
COPY --from=manifests /manifests/ ./
# Behind a proxy or a private registry: --secret id=ca,src=<CA bundle> and --secret id=npmrc,src=<npmrc>.
RUN --mount=type=secret,id=ca --mount=type=secret,id=npmrc,target=/root/.npmrc \
  if [ -f /run/secrets/ca ]; then export NODE_EXTRA_CA_CERTS=/run/secrets/ca; fi \
  && npm ci --no-audit --no-fund --loglevel=error \
  && rm -rf /root/.npm

FROM dependencies AS build
COPY . .
# Types are checked by `npm test`. Fewer garbage collections halve the processor time of the compiler.
RUN GOGC=off GOMEMLIMIT=1536MiB \
  node node_modules/@typescript/native/bin/tsc -b --noCheck apps/*/tsconfig.json tools/tsconfig.json \
  && node tools/dist/deploy/images/assemble-images.js /images \
  && chmod -R a+rX /images

FROM ${BASE} AS runtime
ARG APP
ENV NODE_ENV=production \
  HOST=0.0.0.0 \
  MANAGEMENT_HOST=0.0.0.0 \
  LOG_FORMAT=json \
  NODE_OPTIONS="--enable-source-maps --max-semi-space-size=4 --max-old-space-size=512" \
  MALLOC_MMAP_THRESHOLD_=1048576
WORKDIR /app
COPY --from=build /images/${APP}/packages/ ./
COPY --from=build /images/${APP}/app/ ./
COPY --from=build --chown=1000:1000 /images/data /data
USER 1000:1000

FROM runtime AS service
HEALTHCHECK --interval=15s --timeout=5s --start-period=60s --retries=3 CMD ["node", "healthcheck.js"]
ENTRYPOINT ["node"]
CMD ["main.js"]

FROM service AS poller
EXPOSE 4021
LABEL org.opencontainers.image.description="Polls the reporting API and queues events"

FROM service AS bus-publisher
EXPOSE 4022
LABEL org.opencontainers.image.description="Signs events and posts them to the gateway"

FROM service AS subscriber
EXPOSE 4023
LABEL org.opencontainers.image.description="Verifies and archives events, and delivers alerts"

FROM service AS api
EXPOSE 4030 5030
LABEL org.opencontainers.image.description="Archive API: what was verified, and what people request"

FROM service AS gateway
ENV DATA_DIR=/data
EXPOSE 4011 5011
LABEL org.opencontainers.image.description="Client gateway of the message bus"

FROM service AS broker
ENV IDENTITY_KEY_FILE=/data/identity.key
EXPOSE 4003 5003
LABEL org.opencontainers.image.description="Message broker: channels, roles and the durable log"

FROM service AS token
EXPOSE 4001 5001
LABEL org.opencontainers.image.description="Sandbox of the token service"

FROM service AS reporting
EXPOSE 4002 4004 5002
LABEL org.opencontainers.image.description="Sandbox of the reporting API"

FROM service AS simulator
ENV STATE_FILE=/data/progress.json
EXPOSE 4005
LABEL org.opencontainers.image.description="Publishes a simulated market to the sandbox"

FROM runtime AS cli
COPY --from=build /images/cli/bin/ /usr/local/bin/
HEALTHCHECK NONE
ENTRYPOINT ["busbridge"]
LABEL org.opencontainers.image.description="busbridge, the command line of the bridge"

# hadolint ignore=DL3006
FROM ${APP}
ARG APP
ARG VERSION=unknown
ARG REVISION=unknown
ARG SOURCE=unknown
LABEL org.opencontainers.image.title="settlement-bus-bridge/${APP}" \
  org.opencontainers.image.version="${VERSION}" \
  org.opencontainers.image.revision="${REVISION}" \
  org.opencontainers.image.source="${SOURCE}"
