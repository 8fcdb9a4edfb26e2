import { expect, it } from '@jest/globals';
import { expectUsable } from '../support/barriers.js';
import { PageBrowser } from '../support/browser.js';
import { onlyWith } from '../support/machine.js';
import { SignInGround } from '../support/sign-in-ground.js';

const browser = PageBrowser.use();

onlyWith('chromium', 'openssl').describe(
  'somebody at a page behind a proxy that ends TLS and takes its path away',
  () => {
    const ground = SignInGround.use(true);

    it('signs in, works, and signs out', async () => {
      const page = await browser.open(`${ground.page}/inbox`, { ignoreHTTPSErrors: true });
      browser.forgive(/401/);
      await page.getByRole('link', { name: 'Sign in' }).click();
      await page.getByRole('heading', { name: 'Inbox' }).waitFor();
      await expectUsable(page, 'behind-proxy');
      const cookies = await page.context().cookies(ground.page);
      expect(cookies).toMatchObject([{ secure: true, httpOnly: true, sameSite: 'Strict' }]);
      await page.getByRole('button', { name: 'Sign out' }).click();
      await page.waitForURL(`${ground.provider.issuer}/session/end**`);
      await page.getByRole('button').first().waitFor();
      browser.forgive(/404|ERR_NAME/); // the provider's own page
      await page.goto(ground.page);
      await page.getByRole('link', { name: 'Sign in' }).waitFor();
      browser.forgive(/401/);
    });
  },
);
