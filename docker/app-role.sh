#!/bin/sh
# Makes the role that the server works as; the tables belong to POSTGRES_USER.
set -eu
psql --username="$POSTGRES_USER" --dbname="$POSTGRES_DB" --set=ON_ERROR_STOP=1 \
  --set=password="$(cat /run/secrets/app_password)" <<'SQL'
CREATE ROLE taskyard_app LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE PASSWORD :'password';
SQL
