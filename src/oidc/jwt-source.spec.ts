import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { OidcProvider } from '../../test/support/oidc-provider.js';
import { loadEnvironment } from '../config/environment.js';
import { NO_WORKER } from '../platform/access/principal.js';
import { PAUSE_MS } from './issuer-connection.js';
import { JwtSource } from './jwt-source.js';
import { People, type Person } from './people.js';

const AUDIENCE = 'https://taskyard.example/mcp';
type Answer = (request: IncomingMessage, response: ServerResponse) => void;

class Nobody extends People {
  findByUserId(): Promise<Person | null> {
    return Promise.resolve(null);
  }
}

describe('tokens and their issuer', () => {
  let provider: OidcProvider;
  let elsewhere: Server;
  let elsewhereUrl: string;
  let askedElsewhere = 0;
  let source: JwtSource;

  beforeAll(async () => {
    Logger.overrideLogger(false);
    provider = await OidcProvider.start();
    elsewhere = createServer((_, response) => {
      askedElsewhere += 1;
      response.end('{"keys":[]}');
    }).listen(0, '127.0.0.1');
    await once(elsewhere, 'listening');
    elsewhereUrl = `http://127.0.0.1:${(elsewhere.address() as AddressInfo).port}`;
  });
  afterAll(async () => {
    await provider.stop();
    elsewhere.close();
  });
  beforeEach(() => {
    source = newSource();
  });
  afterEach(() => {
    provider.answer = null;
    jest.restoreAllMocks();
    expect(askedElsewhere).toBe(0);
  });

  function newSource(settings: Record<string, string> = {}): JwtSource {
    const environment = loadEnvironment({ OIDC_ISSUER: provider.issuer, OIDC_ROLES: 'eng=write,*=read', ...settings });
    return new JwtSource(environment, [AUDIENCE], new Nobody());
  }
  function passTime(ms: number): void {
    const { now } = Date;
    jest.spyOn(Date, 'now').mockImplementation(() => now() + ms);
  }
  const token = (claims: object = {}) => provider.sign({ aud: AUDIENCE, ...claims });
  const json = (body: unknown, only?: string): Answer => {
    return (request, response) => {
      if (only !== undefined && request.url !== only) return provider.pass(request, response);
      return response.end(JSON.stringify(body));
    };
  };

  it('name people by issuer and subject, never by what they are called', async () => {
    const found = await source.findPrincipal(
      await token({ sub: '42', name: ' Ada \n Lovelace', email: 'ada@example.org', preferred_username: 'ada' }),
    );
    expect(found).toMatchObject({
      kind: 'person',
      id: `person:${provider.issuer}|42`,
      user_id: `${provider.issuer}|42`,
      name: 'Ada Lovelace',
      worker: NO_WORKER,
      roles: ['write', 'read'],
      scopes: ['read', 'write', 'execute', 'deliver'],
      actor: { name: 'Ada Lovelace', type: 'human' },
    });
  });

  it.each([
    ['read write', ['eng'], 'eng=write', ['read', 'write', 'execute', 'deliver']],
    ['read write approve', ['eng'], 'eng=write', ['read', 'write', 'execute', 'approve', 'deliver']],
    ['read write approve admin act_as', ['eng'], 'eng=read', ['read']],
    ['read', ['eng'], 'eng=admin', ['read']],
    ['read execute', ['eng'], 'eng=write', ['read', 'execute']],
    ['read admin', ['a', 'b'], 'a=read,b=admin', ['read', 'admin']],
    ['read act_as', ['robots'], 'robots=write,robots=act_as', ['read', 'act_as']],
    ['read act_as', ['robots'], 'robots=admin', ['read']],
    ['read write', [], 'eng=write', []],
    ['read write', 'eng', 'eng=write', ['read', 'write', 'execute', 'deliver']],
    ['read write', { eng: true }, '*=read', ['read']],
    ['openid profile', ['eng'], 'eng=admin', []],
    ['READ', ['eng'], 'eng=admin', []],
  ])('with the scopes "%s" of a member of %j under %s allow %j', async (scope, groups, OIDC_ROLES, allowed) => {
    const found = await newSource({ OIDC_ROLES }).findPrincipal(await token({ scope, groups }));
    expect(found?.scopes).toEqual(allowed);
  });

  it('may list groups and scopes under other names', async () => {
    const groups = { groups: undefined, roles: ['eng'], scope: undefined, scp: ['read', 'write'] };
    const found = await newSource({ OIDC_GROUPS_CLAIM: 'roles' }).findPrincipal(await token(groups));
    expect(found?.scopes).toContain('write');
  });

  it('of programs make agents of them', async () => {
    const found = await source.findPrincipal(await token({ sub: 'ci', client_id: 'ci' }));
    expect(found?.actor).toEqual({ name: 'ci', type: 'agent' });
  });

  it.each<[string, () => Answer]>([
    ['is down', () => (request) => request.socket.destroy()],
    ['fails', () => (_, response) => response.writeHead(500).end('{}')],
    ['hangs', () => () => undefined],
    ['hangs in the middle', () => (_, response) => response.writeHead(200).write('{"issuer"')],
    ['floods', () => (_, response) => response.end('x'.repeat(2 * 1024 * 1024))],
    ['says nothing', () => (_, response) => response.end()],
    ['says what is no JSON', () => (_, response) => response.end('<html>')],
    ['sends elsewhere', () => (_, response) => response.writeHead(302, { location: elsewhereUrl }).end()],
    ['is another', () => json({ issuer: 'https://other.example', jwks_uri: `${provider.issuer}/jwks` })],
    ['has its keys nowhere', () => json({ issuer: provider.issuer, jwks_uri: 'no address' })],
    ['has its keys in a file', () => json({ issuer: provider.issuer, jwks_uri: 'file:///etc/passwd' })],
    ['has no list of keys', () => json({ keys: 'none' }, '/jwks')],
    ['has a broken key', () => json({ keys: [{ ...provider.publicKey, x: 'AA' }] }, '/jwks')],
    [
      'sends for its keys',
      () => (request, response) => {
        if (request.url !== '/jwks') return provider.pass(request, response);
        return response.writeHead(302, { location: `${elsewhereUrl}/jwks` }).end();
      },
    ],
  ])('of an issuer that %s cannot be checked now, and can be once it is well', async (_, broken) => {
    const timeout = AbortSignal.timeout.bind(AbortSignal);
    const impatient = jest.spyOn(AbortSignal, 'timeout').mockImplementation((ms) => timeout(Math.min(ms, 200)));
    provider.answer = broken();
    await expect(source.findPrincipal(await token())).rejects.toMatchObject({ code: 'auth_unavailable' });
    provider.answer = null;
    impatient.mockRestore();
    passTime(PAUSE_MS + 600_000);
    expect(await source.findPrincipal(await token())).not.toBeNull();
  });

  it('of an issuer with keys on another origin are refused with the reason, and nobody is asked there', async () => {
    provider.answer = json({ issuer: provider.issuer, jwks_uri: `${elsewhereUrl}/jwks` });
    for (let times = 0; times < 2; times += 1)
      await expect(source.findPrincipal(await token())).rejects.toMatchObject({
        code: 'auth_unavailable',
        details: { jwks_uri: `${elsewhereUrl}/jwks` },
        hintTemplate: expect.stringContaining('on the origin of OIDC_ISSUER'),
      });
  });

  it('of an issuer that is down are not looked into again and again', async () => {
    provider.answer = (request) => request.socket.destroy();
    const refused = { code: 'auth_unavailable' };
    await expect(source.findPrincipal(await token())).rejects.toMatchObject(refused);
    provider.asked.length = 0;
    const tokens = await Promise.all(Array.from({ length: 20 }, () => token()));
    for (const one of tokens) await expect(source.findPrincipal(one)).rejects.toMatchObject(refused);
    expect(provider.asked).toEqual([]);
  });

  it('whose key is known need no issuer', async () => {
    expect(await source.findPrincipal(await token())).not.toBeNull();
    provider.answer = (request) => request.socket.destroy();
    passTime(300_000);
    expect(await source.findPrincipal(await token())).not.toBeNull();
  });

  it('of others are refused before the issuer is asked', async () => {
    provider.asked.length = 0;
    expect(await source.findPrincipal(await token({ iss: 'https://other.example' }))).toBeNull();
    expect(await source.findPrincipal(`${'x'.repeat(16_384)}.y.z`)).toBeNull();
    expect(provider.asked).toEqual([]);
  });
});
