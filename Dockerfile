# n8n-observer without Cloudflare: docs/self-hosting.md. The image runs workerd alone; Node is needed to build only.
FROM node:24-trixie-slim AS build
WORKDIR /build
COPY package.json package-lock.json ./
RUN npm ci --omit=dev
COPY wrangler.toml tsconfig.json ./
COPY src src
COPY scripts scripts
RUN npm run serve -- --build /server \
 && cp "$(node --print 'require("workerd").default')" /server/workerd

FROM debian:trixie-slim
RUN apt-get update \
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
CMD ["/server/workerd", "serve", "/server/observer.capnp", "--socket-addr", "http=*:8787", "--directory-path", "data=/data"]
