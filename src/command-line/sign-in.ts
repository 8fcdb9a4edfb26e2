import * as oidc from 'openid-client';
import { commandLineSettings } from '../config/command-line.js';
import { openInBrowser } from '../platform/process/run-program.js';
import { type Credential, Credentials, type Refresh } from './credentials.js';
import { CommandFailure, exits } from './exits.js';
import { Loopback } from './loopback.js';
import { complain } from './output.js';

/** Before it ends, a token is renewed: a request takes its time, and clocks differ. */
const EARLY_MS = 60_000;
const WITH_TOKEN = 'taskyard login --with-token < FILE';

/** What the server says of its identity provider. */
interface Provider {
  issuer: string;
  /** What tokens are for. */
  resource: string;
  scopes: string[];
  /** The client of command lines, where the operator has named one. */
  client_id?: string;
}

/** In the browser of this machine: code flow with PKCE, to an address on loopback. */
export async function signInHere(server: string): Promise<Credential> {
  const provider = await providerOf(server);
  const loopback = await Loopback.open();
  try {
    const configuration = await configurationFor(provider, loopback.address);
    const verifier = oidc.randomPKCECodeVerifier();
    const state = oidc.randomState();
    const url = oidc.buildAuthorizationUrl(configuration, {
      ...requestOf(provider, configuration),
      redirect_uri: loopback.address,
      state,
      code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    });
    complain(`Sign in at ${url.href}`);
    openInBrowser(url.href);
    const checks = { pkceCodeVerifier: verifier, expectedState: state };
    const { resource } = provider;
    const tokens = await oidc.authorizationCodeGrant(configuration, await loopback.visited(), checks, { resource });
    return credentialOf(provider, configuration, tokens);
  } catch (error) {
    throw failureOf(error);
  } finally {
    loopback.close();
  }
}

/** On any device: the person types a code there. */
export async function signInElsewhere(server: string): Promise<Credential> {
  const provider = await providerOf(server);
  try {
    const configuration = await configurationFor(provider);
    const request = requestOf(provider, configuration);
    const device = await oidc.initiateDeviceAuthorization(configuration, request);
    complain(`Open ${device.verification_uri} on any device, and type ${device.user_code}`);
    const { resource } = provider;
    const tokens = await oidc.pollDeviceAuthorizationGrant(configuration, device, { resource });
    return credentialOf(provider, configuration, tokens);
  } catch (error) {
    throw failureOf(error);
  }
}

/** A fresh token, kept for the next command. @throws CommandFailure where the provider gives none */
export async function renew(server: string, { refresh }: Credential): Promise<string> {
  const { issuer, client_id, refresh_token, resource } = refresh!;
  try {
    const configuration = await discovered(issuer, client_id);
    const tokens = await oidc.refreshTokenGrant(configuration, refresh_token, { resource });
    const fresh = credentialOf({ issuer, resource }, configuration, tokens, refresh);
    new Credentials(commandLineSettings().folder).keep(server, fresh);
    return fresh.token;
  } catch {
    throw new CommandFailure('your sign-in is over', exits.notSignedIn, 'taskyard login');
  }
}

/** @throws CommandFailure where the server has none */
async function providerOf(server: string): Promise<Provider> {
  const url = `${server}/.well-known/oauth-protected-resource`;
  const answer = await fetch(url).catch(() => null);
  if (answer === null) throw new CommandFailure(`${server} cannot be reached`, exits.failed, 'taskyard serve');
  if (!answer.ok) throw new CommandFailure(`${server} takes tokens alone`, exits.notSignedIn, WITH_TOKEN);
  const said = (await answer.json()) as Record<string, unknown>;
  const [issuer] = said.authorization_servers as string[];
  const { scopes_supported, taskyard_cli_client_id: client_id } = said;
  return {
    issuer: issuer!,
    resource: new URL(said.resource as string).origin,
    scopes: scopes_supported as string[],
    ...(typeof client_id === 'string' && { client_id }),
  };
}

/** As the client that the server names, else as one that registers itself. */
function configurationFor({ issuer, client_id }: Provider, redirect?: string): Promise<oidc.Configuration> {
  if (client_id !== undefined) return discovered(issuer, client_id);
  const grant = redirect === undefined ? 'urn:ietf:params:oauth:grant-type:device_code' : 'authorization_code';
  const metadata = {
    client_name: 'Taskyard command line',
    application_type: 'native',
    token_endpoint_auth_method: 'none',
    grant_types: [grant, 'refresh_token'],
    response_types: redirect === undefined ? [] : ['code'],
    redirect_uris: redirect === undefined ? [] : [redirect],
  };
  return oidc.dynamicClientRegistration(new URL(issuer), metadata, oidc.None(), plainOnLoopback(issuer));
}

const discovered = (issuer: string, client_id: string): Promise<oidc.Configuration> =>
  oidc.discovery(new URL(issuer), client_id, undefined, oidc.None(), plainOnLoopback(issuer));

/** Without TLS on this machine alone. */
const plainOnLoopback = (issuer: string) =>
  /^http:\/\/(127\.0\.0\.1|localhost)\b/.test(issuer) ? { execute: [oidc.allowInsecureRequests] } : {};

function requestOf({ scopes, resource }: Provider, configuration: oidc.Configuration): Record<string, string> {
  const offered = configuration.serverMetadata().scopes_supported ?? [];
  const more = ['openid', 'offline_access'].filter((scope) => offered.includes(scope));
  const isLasting = more.includes('offline_access');
  return { scope: [...more, ...scopes].join(' '), resource, ...(isLasting && { prompt: 'consent' }) };
}

function credentialOf(
  { issuer, resource }: Pick<Provider, 'issuer' | 'resource'>,
  configuration: oidc.Configuration,
  tokens: oidc.TokenEndpointResponse & oidc.TokenEndpointResponseHelpers,
  before?: Refresh,
): Credential {
  const secs = tokens.expiresIn();
  const refresh_token = tokens.refresh_token ?? before?.refresh_token;
  const { client_id } = configuration.clientMetadata();
  return {
    token: tokens.access_token,
    ...(secs !== undefined && { expires_at: Date.now() + secs * 1_000 - EARLY_MS }),
    ...(refresh_token !== undefined && { refresh: { issuer, client_id, refresh_token, resource } }),
  };
}

function failureOf(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof CommandFailure) return error;
  const { error_description } = error as { error_description?: string };
  const reason = error_description ?? error.message;
  return new CommandFailure(`the identity provider refused: ${reason}`, exits.notSignedIn, WITH_TOKEN);
}
