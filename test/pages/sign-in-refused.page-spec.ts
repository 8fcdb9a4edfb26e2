import { beforeAll, expect, it } from '@jest/globals';
import { exportJWK, generateKeyPair, type JWK, type JWTPayload } from 'jose';
import { expectUsable } from '../support/barriers.js';
import { describePages, PageBrowser } from '../support/browser.js';
import { eventually } from '../support/eventually.js';
import { PAGE } from '../support/oidc-provider.js';
import {
  type Answer,
  butAt,
  dead,
  errorOfProxy,
  idTokensWith,
  sentBackWith,
  silent,
} from '../support/provider-answers.js';
import { SignInGround } from '../support/sign-in-ground.js';

const browser = PageBrowser.use();

describePages('somebody whose sign-in goes wrong', () => {
  const ground = SignInGround.use();
  let stranger: JWK;
  let usedCode: string;
  beforeAll(async () => {
    const { privateKey } = await generateKeyPair('ES256', { extractable: true });
    stranger = { ...(await exportJWK(privateKey)), kid: ground.provider.publicKey.kid! };
    const { visitor } = await ground.signIn();
    const callback = visitor.way.find((one) => one.startsWith(`${ground.page}/callback`))!;
    usedCode = new URL(callback).searchParams.get('code')!;
  });

  const toInbox = () => `${ground.page}/sign-in?return_to=${ground.base}/ui/inbox`;
  const tokens = (claims: JWTPayload) => () => idTokensWith(ground.provider, claims);
  const query = (change: Record<string, string>) => () =>
    sentBackWith(ground.provider, (sent) => {
      if ('error' in change) sent.delete('code');
      for (const [name, value] of Object.entries(change)) sent.set(name, value);
    });
  const at = (place: string, answer: Answer) => () => butAt(ground.provider, place, answer);

  const [UNFIT, OVER] = ['That is not what was asked for', 'This sign-in is over'];
  const AWAY = 'The identity provider does not answer';
  const REFUSED: [what: string, heading: string, answer: () => Answer | Promise<Answer>][] = [
    ['an ID token with another nonce', UNFIT, tokens({ nonce: 'of-another' })],
    ['an ID token of another issuer', UNFIT, tokens({ iss: 'http://localhost:1' })],
    ['an ID token for another client', UNFIT, tokens({ aud: 'other' })],
    ['an ID token that another client asked for', UNFIT, tokens({ aud: [PAGE.client_id, 'other'], azp: 'other' })],
    ['an ID token of yesterday', UNFIT, tokens({ exp: 1_000_000_000 })],
    ['an ID token beside another access token', UNFIT, tokens({ at_hash: 'b2YgYW5vdGhlcg' })],
    ['an ID token signed by a stranger', UNFIT, () => idTokensWith(ground.provider, {}, { key: stranger })],
    ['an answer in the name of another issuer', UNFIT, query({ iss: 'http://localhost:1' })],
    ['a code that was used', OVER, () => query({ code: usedCode })()],
    ['a code that nobody gave out', OVER, query({ code: 'made-up' })],
    ['a refusal of the person', 'The identity provider did not let you in', query({ error: 'access_denied' })],
    ['trouble of its own', AWAY, query({ error: 'temporarily_unavailable' })],
    ['death on the way', AWAY, at('token', dead)],
    ['silence on the way', AWAY, at('token', silent)],
    ['the error of a proxy', AWAY, at('token', errorOfProxy)],
    [
      'keys that changed and cannot be read',
      AWAY,
      async () => {
        await ground.provider.rotateKeys();
        return butAt(ground.provider, 'jwks', dead);
      },
    ],
    [
      'groups that cannot be read',
      AWAY,
      () => {
        ground.says('userinfo');
        return butAt(ground.provider, 'me', dead);
      },
    ],
    [
      'a client that it does not know',
      'The identity provider refuses this server',
      at('token', (_, response) =>
        response.writeHead(401, { 'content-type': 'application/json' }).end('{"error":"invalid_client"}'),
      ),
    ],
  ];

  it('is told of each of them, and then comes to where the link led', async () => {
    const page = await browser.prepare(ground.page);
    const found: [string, string | null][] = [];
    for (const [what, heading, answer] of REFUSED) {
      await page.goto('about:blank'); // else the inbox of before still asks, as nobody
      await page.context().clearCookies(); // here and at the provider
      if (ground.provider.groupsIn !== 'id_token') ground.says('id_token');
      ground.provider.answer = await answer();
      await page.goto(toInbox());
      const told = await page.getByRole('heading', { level: 1 }).textContent();
      ground.provider.answer = null;
      found.push([what, told]);
      if (told !== heading) continue; // it may be in already
      await page.getByRole('link', { name: 'Sign in' }).click();
      await page.getByRole('heading', { name: 'Inbox' }).waitFor();
      expect([what, page.url()]).toEqual([what, `${ground.page}/inbox`]);
    }
    expect(found).toEqual(REFUSED.map(([what, heading]) => [what, heading]));
    browser.forgive(/403|503/);
  });

  it('is told of a state of nobody, and of what another browser began', async () => {
    let callback = '';
    ground.provider.answer = sentBackWith(ground.provider, (sent) => {
      callback = `${ground.page}/callback?${sent.toString()}`;
      sent.set('state', 'of-nobody');
    });
    const page = await browser.open(toInbox());
    const other = await browser.open(callback);
    ground.provider.answer = null;
    for (const one of [page, other]) {
      await one.getByRole('heading', { name: 'This sign-in was not begun here' }).waitFor();
      await one.getByRole('link', { name: 'Sign in' }).click();
      await one.getByRole('banner').getByText('Ada').waitFor();
    }
    browser.forgive(/403/);
  });

  it('is told before the way there that nobody answers', async () => {
    ground.provider.answer = dead;
    const page = await browser.prepare(ground.page);
    const told = page.getByRole('heading', { name: AWAY });
    await eventually('the words', async () => {
      await page.goto(toInbox()).catch(() => undefined); // it was there a moment ago
      return told.isVisible();
    });
    browser.forgive(/503|ERR_/);
    await expectUsable(page, 'sign-in-refused');
    browser.forgive(/503/);
    ground.provider.answer = null;
    await page.getByRole('link', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'Inbox' }).waitFor();
  });

  it('takes another account where the first has no role', async () => {
    ground.provider.groups.ada = [];
    const page = await browser.open(toInbox(), { viewport: { width: 320, height: 640 } });
    await page.getByRole('heading', { name: 'You are signed in as Ada, and may not enter' }).waitFor();
    await expectUsable(page, 'no-entry-narrow');
    browser.forgive(/403/);
    ground.provider.groups.ada = ['eng'];
    await page.getByRole('link', { name: 'Use another account' }).click();
    await page.waitForURL(`${ground.provider.issuer}/session/end**`);
    await page.getByRole('button').first().waitFor();
    browser.forgive(/404|ERR_NAME/); // the provider's own page
  });

  it.each(['//evil.example/ui', 'https://evil.example', '/api/projects', 'javascript:alert(1)'])(
    'is not led to %s',
    async (place) => {
      const page = await browser.open(`${ground.page}/sign-in?return_to=${encodeURIComponent(place)}`);
      await page.getByRole('banner').getByText('Ada').waitFor();
      expect(page.url()).toBe(ground.page);
    },
  );
});
