#!/bin/sh
# What the image starts: workerd, listening at every address of the container. Without PUBLIC_URL a request that names
# "localhost" would be answered as one of the person at the machine, and anybody can send such a request.
# The data folder can be given as an argument, for tests.
set -eu

if [ -z "${PUBLIC_URL:-}" ]; then
  echo "Not started: the setting PUBLIC_URL is missing. Set it to the address that clients use: https://… behind TLS of your own, or http://localhost:8787 where the port is published on this machine alone." >&2
  exit 1
fi

server=$(dirname "$0")
data=${1:-/data}

# Only this user can read what the server stores, including what an earlier version left.
umask 077
for folder in "$data"/n8n-observer-*; do
  if [ -d "$folder" ]; then chmod -R u=rwX,go= "$folder"; fi
done

exec "$server/workerd" serve "$server/observer.capnp" --socket-addr "http=*:8787" --directory-path "data=$data"
