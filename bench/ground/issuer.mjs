import { createServer } from 'node:http';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';

/** An identity provider of one key on loopback, as far as a server asks one. @returns its address, and what signs */
export async function openIssuer() {
  const { publicKey, privateKey } = await generateKeyPair('ES256');
  const jwk = { ...(await exportJWK(publicKey)), kid: 'bench', alg: 'ES256', use: 'sig' };
  const answers = {
    '/.well-known/openid-configuration': () => ({ issuer, jwks_uri: `${issuer}/jwks` }),
    '/jwks': () => ({ keys: [jwk] }),
  };
  const server = createServer(({ url }, response) => {
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(answers[url]?.() ?? {}));
  });
  await new Promise((ready) => server.listen(0, '127.0.0.1', ready));
  const issuer = `http://127.0.0.1:${server.address().port}`;
  return {
    issuer,
    token: (claims) =>
      new SignJWT({ sub: 'ada', groups: ['eng'], scope: 'read', ...claims })
        .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid: 'bench' })
        .setIssuer(issuer)
        .setIssuedAt()
        .setExpirationTime('10m')
        .sign(privateKey),
    close: () => server.close(),
  };
}

export async function freePort() {
  const probe = createServer();
  await new Promise((ready) => probe.listen(0, '127.0.0.1', ready));
  const { port } = probe.address();
  await new Promise((closed) => probe.close(closed));
  return port;
}
