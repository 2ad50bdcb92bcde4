# n8n-observer without Cloudflare: docs/self-hosting.md. The image runs workerd alone; Node is needed to build only.
# Base images by digest, each for all its platforms, as docker-library/repo-info on GitHub recorded them: made on
# 2026-08-27 and 2026-08-24. To take newer ones: docker buildx imagetools inspect node:24-trixie-slim
FROM node:24-trixie-slim@sha256:50c3b2f6988dfc307b86e5301d69611af31f4789bdf232863b07d3b02fe55ae0 AS build
WORKDIR /build
COPY package.json package-lock.json ./
RUN npm ci --omit=dev
COPY wrangler.toml tsconfig.json tsconfig.base.json ./
COPY src src
COPY scripts scripts
RUN npm run serve -- --build /server \
 && cp "$(node --print 'require("workerd").default')" /server/workerd \
 && install --mode 755 scripts/serve/container.sh /server/start

FROM debian:trixie-slim@sha256:d7e12182ce18b85b93007c1dedf31f2d29e01ccf3182cc4017c709b6259bc132
# What Debian has mended since that image was made comes with the upgrade.
RUN apt-get update \
 && apt-get upgrade --yes \
 && apt-get install --yes --no-install-recommends ca-certificates \
 && rm -rf /var/lib/apt/lists/* \
 && useradd --uid 10001 --no-create-home --shell /usr/sbin/nologin observer \
 && install --directory --mode 700 --owner observer --group observer /data
COPY --from=build /server /server
USER observer
VOLUME /data
EXPOSE 8787
# Any answer will do: the address is told to clients by PUBLIC_URL, which is not that of this check.
HEALTHCHECK --interval=30s --timeout=5s --start-period=10s \
  CMD ["bash", "-c", "exec 3<>/dev/tcp/127.0.0.1/8787 && printf 'GET / HTTP/1.1\\r\\nHost: localhost:8787\\r\\nConnection: close\\r\\n\\r\\n' >&3 && read -r line <&3 && [[ $line == HTTP/* ]]"]
STOPSIGNAL SIGTERM
CMD ["/server/start"]
