#!/bin/sh
# What the official image does with an empty volume, as far as the compose files need it.
set -eu
export PGHOST=/tmp PGDATA=/var/lib/postgresql/data/pgdata
if [ ! -s "$PGDATA/PG_VERSION" ]; then
  initdb --username="$POSTGRES_USER" --pwfile="$POSTGRES_PASSWORD_FILE" --auth-local=trust --auth-host=scram-sha-256
  echo 'host all all all scram-sha-256' >> "$PGDATA/pg_hba.conf"
  pg_ctl --wait --options='-c listen_addresses= -c unix_socket_directories=/tmp' start
  createdb --username="$POSTGRES_USER" "$POSTGRES_DB"
  for script in /docker-entrypoint-initdb.d/*.sh; do sh "$script"; done
  pg_ctl --wait stop
fi
exec postgres -c 'listen_addresses=*' -c unix_socket_directories=/tmp
