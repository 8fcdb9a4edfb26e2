import { createHmac, generateKeyPairSync, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { exportJWK, importJWK, type JWK, SignJWT } from 'jose';
import { OidcProvider } from '../../support/oidc-provider.js';
import { TestServer } from '../../support/server.js';

const PUBLIC_URL = 'https://taskyard.example';
const RUNS = 2_000;
const MAX_HEADER = 16_384;
const encode = (value: unknown): string =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url');

describe('tokens that nobody issued', () => {
  let provider: OidcProvider;
  let server: TestServer;
  let foreign: Server;
  let foreignUrl: string;
  let right: string;
  let ownKey: JWK;
  const asked: string[] = [];

  beforeAll(async () => {
    provider = await OidcProvider.start();
    foreign = createServer((request, response) => {
      asked.push(request.url ?? '');
      response.end(JSON.stringify({ keys: [ownKey] }));
    }).listen(0, '127.0.0.1');
    await once(foreign, 'listening');
    foreignUrl = `http://127.0.0.1:${(foreign.address() as AddressInfo).port}`;
    ownKey = { ...(await exportJWK(generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey)), kid: 'own' };
    server = await TestServer.start({
      PUBLIC_URL,
      OIDC_ISSUER: provider.issuer,
      OIDC_ROLES: '*=admin',
      TRUSTED_PROXIES: '127.0.0.1',
    });
    right = await provider.sign({ aud: PUBLIC_URL });
  });
  afterAll(async () => {
    await server.stop();
    await provider.stop();
    foreign.close();
  });

  const claims = () => {
    const now = Math.floor(Date.now() / 1_000);
    return { iss: provider.issuer, aud: PUBLIC_URL, sub: 'root', iat: now, exp: now + 600, scope: 'read write admin' };
  };
  const header = () => ({ alg: 'ES256', typ: 'at+jwt', kid: provider.publicKey.kid });
  const signature = randomBytes(64).toString('base64url');
  const unsigned = (head: object, body: unknown = claims(), last = signature) =>
    `${encode(head)}.${encode(body)}.${last}`;
  async function bySelf(more: object, body: object = claims()): Promise<string> {
    const signer = new SignJWT({ ...body }).setProtectedHeader({ ...header(), ...more });
    return signer.sign(await importJWK(ownKey, 'ES256'));
  }
  function byPublicKey(alg: 'HS256' | 'HS512', form: string): string {
    const content = `${encode({ ...header(), alg })}.${encode(claims())}`;
    const hash = alg === 'HS256' ? 'sha256' : 'sha512';
    return `${content}.${createHmac(hash, form).update(content).digest('base64url')}`;
  }

  /** By a connection of its own: after a header that is too long the server closes. */
  function statusOf(token: string, address: string): Promise<number> {
    const headers = { authorization: `Bearer ${token}`, 'x-forwarded-for': address };
    return new Promise((resolve, reject) => {
      request(`${server.url}/api/projects`, { headers, agent: false }, (answer) => {
        answer.resume().on('end', () => resolve(answer.statusCode!));
      })
        .on('error', (error) => (token.length > MAX_HEADER ? resolve(431) : reject(error))) // closed while it sent
        .end();
    });
  }

  const text = fc.string({ maxLength: 40, unit: 'grapheme' });
  const forms = fc.oneof(
    fc
      .constantFrom('none', 'None', 'NONE', 'nOnE', '', 'ES256 ', 'RSA1_5', 'dir')
      .map((alg) => () => unsigned({ ...header(), alg })),
    fc.constantFrom('none', 'ES256').map((alg) => () => unsigned({ ...header(), alg }, claims(), '')),
    fc
      .constantFrom<'HS256' | 'HS512'>('HS256', 'HS512')
      .chain((alg) =>
        fc
          .boolean()
          .map((isKid) => () => byPublicKey(alg, isKid ? provider.publicKey.kid! : JSON.stringify(provider.publicKey))),
      ),
    fc
      .oneof(text, fc.constantFrom('../../../../dev/null', "' OR 1=1 --", '__proto__', 'own'), fc.jsonValue())
      .map((kid) => () => unsigned({ ...header(), kid })),
    fc.constantFrom('jku', 'x5u', 'jwk', 'x5c', 'iss').map((field) => () => {
      const tricks: Record<string, unknown> = {
        jku: `${foreignUrl}/jwks`,
        x5u: `${foreignUrl}/chain`,
        jwk: { ...ownKey, d: undefined },
        x5c: ['AAAA'],
        iss: foreignUrl,
      };
      return bySelf({ kid: 'own', [field]: tricks[field] });
    }),
    fc.constantFrom('iss', 'aud').map((claim) => () => bySelf({}, { ...claims(), [claim]: foreignUrl })),
    fc
      .constantFrom({ iss: 'other' }, { aud: 'other' }, { exp: 1 }, { nbf: 99_999_999_999 }, { aud: {} })
      .map((wrong) => () => provider.sign({ aud: PUBLIC_URL, ...(wrong as object) })),
    fc.jsonValue().map((body) => () => unsigned(header(), body)),
    fc.jsonValue().map((head) => () => `${encode(head)}.${encode(claims())}.${signature}`),
    fc
      .dictionary(fc.constantFrom('crit', 'b64', 'zip', 'enc', 'cty', 'typ', 'alg'), fc.jsonValue())
      .map((more) => () => unsigned({ ...header(), ...more })),
    fc.constant(() => unsigned({ ...header(), cty: 'JWT' }, right)),
    fc.constant(() => `${right}.${right}`),
    fc.constantFrom(20_000, 1_048_576).map((size) => () => unsigned(header(), { ...claims(), pad: 'x'.repeat(size) })),
    fc.nat().chain((at) => fc.constantFrom(...'Aa0_-.').map((letter) => () => changed(right, at, letter))),
    fc
      .uint8Array({ maxLength: 60 })
      .map((bytes) => () => `${encode(header())}.${Buffer.from(bytes).toString('base64url')}.x`),
    fc.stringMatching(/^[\w.-]{1,80}$/).map((any) => () => any),
  );

  it(`do not open the server: ${RUNS} of them, no fault, and nobody asked but the issuer`, async () => {
    const counts: Record<number, number> = {};
    let address = 0;
    await fc.assert(
      fc.asyncProperty(forms, async (make) => {
        const token = await make();
        if (token === right) return;
        address += 1;
        const forwarded = `10.${address >> 16}.${(address >> 8) & 255}.${address & 255}`;
        const status = await statusOf(token, forwarded);
        counts[status] = (counts[status] ?? 0) + 1;
        expect([400, 401, 431]).toContain(status);
      }),
      { numRuns: RUNS },
    );
    expect(asked).toEqual([]);
    expect(new Set(provider.asked)).toEqual(new Set(['/.well-known/openid-configuration', '/jwks']));
    expect(provider.asked.length).toBeLessThan(10);
    expect(counts[401]).toBeGreaterThan(RUNS / 2);
    expect(await statusOf(right, '10.255.0.1')).toBe(200);
  });
});

/** Another letter at one place. The last one holds bits that mean nothing: it is left alone. */
function changed(token: string, at: number, letter: string): string {
  const place = at % (token.length - 1);
  return token.slice(0, place) + letter + token.slice(place + 1);
}
