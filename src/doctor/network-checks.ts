import { lookup } from 'node:dns/promises';
import type { Environment } from '../config/environment.js';
import { IssuerConnection } from '../oidc/issuer-connection.js';
import { withClient } from './database-checks.js';
import { fault, type Finding, look, ok, reasonOf, warning } from './finding.js';
import { signInCheck } from './sign-in-check.js';

const ISSUER_MEND = 'Set OIDC_ISSUER exactly as its tokens name it, and let this machine reach it.';

/** What this process reaches by name: the identity provider, itself as agents see it, and the other runners. */
export async function networkChecks(environment: Environment): Promise<Finding[]> {
  const { OIDC_ISSUER, DATABASE_URL, AGENT_API_URL, ROLE } = environment;
  const hasRunners = DATABASE_URL && ROLE !== 'runner';
  return [
    ...(OIDC_ISSUER ? await look('issuer', ISSUER_MEND, () => issuer(OIDC_ISSUER)) : []),
    ...(OIDC_ISSUER ? await signInCheck(environment) : []),
    ...(AGENT_API_URL ? [await resolved('AGENT_API_URL', new URL(AGENT_API_URL).hostname)] : []),
    ...(hasRunners ? await runners(DATABASE_URL) : []),
  ];
}

async function issuer(url: string): Promise<Finding[]> {
  const connection = new IssuerConnection(url);
  const discovery = `${url.replace(/\/$/, '')}/.well-known/openid-configuration`;
  const found = (await (await connection.get(discovery)).json()) as { issuer?: string; jwks_uri?: string };
  if (found.issuer !== url) return [fault('issuer', `it calls itself ${String(found.issuer)}`, ISSUER_MEND)];
  await connection.get(String(found.jwks_uri));
  return [ok('issuer', `${url} answers, its keys too`)];
}

/** Living runners, which an API replica calls at the address they announce. A database that does not answer has a
 *  finding of its own. */
async function runners(url: string): Promise<Finding[]> {
  const rows = await withClient(url, async (client) => {
    const { rows: tables } = await client.query<{ found: string | null }>(
      "SELECT to_regclass('runners')::text AS found",
    );
    if (tables[0]!.found === null) return [];
    return (await client.query<{ runner_id: string; address: string }>(LIVING)).rows;
  }).catch(() => []);
  return Promise.all(rows.map(({ runner_id, address }) => resolved(`runner ${runner_id}`, hostOf(address))));
}

const LIVING = `
  SELECT runner_id, address
  FROM runners
  WHERE left_at IS NULL AND seen_at > now() - interval '60 seconds' AND role <> 'api'
  ORDER BY runner_id
  LIMIT 100`;

const hostOf = (address: string): string => new URL(address.includes('://') ? address : `http://${address}`).hostname;

async function resolved(about: string, host: string): Promise<Finding> {
  try {
    const { address } = await lookup(host.replace(/^\[|\]$/g, ''));
    return ok(about, `${host} is ${address}`);
  } catch (error) {
    const mend =
      'Give it a name that the resolver of this machine knows: INTERNAL_ADDRESS of that runner, or AGENT_API_URL.';
    return warning(about, `${host} cannot be resolved: ${reasonOf(error)}`, mend);
  }
}
