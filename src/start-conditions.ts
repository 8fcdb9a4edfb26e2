import { once } from 'node:events';
import { accessSync, constants, mkdirSync } from 'node:fs';
import { createServer } from 'node:net';
import { type Environment, EnvironmentError, MIN_TOKEN } from './config/environment.js';
import { isLoopback } from './platform/access/access-control.js';

/** The server would serve callers it cannot identify. */
export class UnsafeBindError extends Error {}

/** @throws EnvironmentError */
export function requireOidcSettings(environment: Environment): void {
  const { OIDC_ISSUER, OIDC_AUDIENCE, OIDC_CLIENT_ID, OIDC_ROLES, PUBLIC_URL } = environment;
  if (!OIDC_ISSUER && (OIDC_AUDIENCE.length || OIDC_ROLES.length))
    throw new EnvironmentError('OIDC_AUDIENCE and OIDC_ROLES mean nothing without OIDC_ISSUER: set it, or unset them.');
  if (OIDC_CLIENT_ID && !OIDC_ISSUER)
    throw new EnvironmentError('OIDC_CLIENT_ID means nothing without OIDC_ISSUER: set it, or unset both.');
  if (OIDC_ISSUER && !PUBLIC_URL)
    throw new EnvironmentError(
      'OIDC_ISSUER requires PUBLIC_URL: the origin clients use, such as https://taskyard.example.',
    );
  if (OIDC_ISSUER && !OIDC_ROLES.length)
    throw new EnvironmentError('OIDC_ISSUER requires OIDC_ROLES: what groups may do, such as admins=admin,*=write.');
}

/** Beyond loopback a long token or an identity provider is required, because anybody on the network may try to call.
 *  @throws UnsafeBindError */
export function requireProtection({ HOST, ROLE, OIDC_ISSUER, TASKFLOW_SERVICE_TOKEN }: Environment): void {
  if (ROLE === 'api' && !TASKFLOW_SERVICE_TOKEN && !OIDC_ISSUER)
    throw new UnsafeBindError(
      'ROLE=api cannot tell the runs of a runner beside it from their owner: set TASKFLOW_SERVICE_TOKEN or OIDC_ISSUER',
    );
  const isGuessable = TASKFLOW_SERVICE_TOKEN.length < MIN_TOKEN;
  if (isLoopback(HOST) || !isGuessable || (OIDC_ISSUER && !TASKFLOW_SERVICE_TOKEN)) return;
  const problem = TASKFLOW_SERVICE_TOKEN
    ? `TASKFLOW_SERVICE_TOKEN has fewer than ${MIN_TOKEN} characters: set a longer one`
    : 'set TASKFLOW_SERVICE_TOKEN or OIDC_ISSUER';
  throw new UnsafeBindError(`HOST=${HOST} is open to the network: ${problem}, or listen on 127.0.0.1`);
}

/** A guessable secret does not protect the port, and a single process needs none. @throws EnvironmentError */
export function requireClusterSettings({ CLUSTER_SECRET, DATABASE_URL, ROLE }: Environment): void {
  if (CLUSTER_SECRET && CLUSTER_SECRET.length < MIN_TOKEN)
    throw new EnvironmentError(`CLUSTER_SECRET has fewer than ${MIN_TOKEN} characters: set a longer one.`);
  if (ROLE === 'api' && !DATABASE_URL)
    throw new EnvironmentError('ROLE=api requires DATABASE_URL: runners work on the same database.');
}

/** What ends or takes no turns leaves its work to others: they must be there, and the work saved.
 *  @throws EnvironmentError */
export function requireRunnerLife({ RUNNER_LIFE, ROLE, CLUSTER_SECRET, WORKSPACE_STORE }: Environment): void {
  if (RUNNER_LIFE === 'long') return;
  const needs = `RUNNER_LIFE=${RUNNER_LIFE} requires`;
  if (ROLE !== 'runner') throw new EnvironmentError(`${needs} ROLE=runner: other processes serve callers.`);
  if (!CLUSTER_SECRET) throw new EnvironmentError(`${needs} CLUSTER_SECRET: others go on with its work.`);
  if (WORKSPACE_STORE === 'none')
    throw new EnvironmentError(`${needs} a WORKSPACE_STORE other than none: its work would be lost.`);
}

/** ROLE=api keeps nothing in it. @throws EnvironmentError */
export function requireDataDir({ DATA_DIR, ROLE }: Environment): void {
  if (ROLE === 'api') return;
  try {
    mkdirSync(DATA_DIR, { recursive: true });
    accessSync(DATA_DIR, constants.W_OK | constants.X_OK);
  } catch (error) {
    throw new EnvironmentError(`DATA_DIR="${DATA_DIR}" cannot be used: ${(error as Error).message}`);
  }
}

/** Checked before anything is started, so that an accidental second start touches nothing. @throws EnvironmentError */
export async function requirePort({ HOST, PORT }: Environment): Promise<void> {
  const probe = createServer().listen(PORT, HOST);
  try {
    await once(probe, 'listening');
  } catch (error) {
    throw new EnvironmentError(`HOST="${HOST}" PORT="${PORT}" cannot be listened on: ${(error as Error).message}`);
  }
  probe.close();
  await once(probe, 'close');
}
