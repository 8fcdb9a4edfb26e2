#!/bin/sh
# Makes the secrets of compose.yaml, once: what is there stays. Clients send secrets/service_token as their bearer token.
set -eu
folder="${1:-$(dirname "$0")/secrets}"
umask 077
mkdir -p "$folder"
cd "$folder"

# The folder is closed to other users; a container's user has to read the file that is mounted.
keep() {
  [ -e "$1" ] || { cat > "$1.half" && chmod 444 "$1.half" && mv "$1.half" "$1"; }
}
random() {
  od -An -N32 -tx1 /dev/urandom | tr -d ' \n'
}

for name in owner_password app_password service_token cluster_secret; do random | keep "$name"; done
printf 'postgres://taskyard:%s@database:5432/taskyard' "$(cat owner_password)" | keep migration_database_url
printf 'postgres://taskyard_app:%s@database:5432/taskyard' "$(cat app_password)" | keep database_url
