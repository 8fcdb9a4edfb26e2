import { randomBytes, timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { tokenDigest } from '../platform/access/bearer-tokens.js';
import { localOwner, type Principal } from '../platform/access/principal.js';

const LIFE_MS = 10 * 60_000;

/** The link in the greeting: it signs its owner in once, soon after the start. Its code is behind the `#`, which
 *  browsers send to no server and no log. */
@Injectable()
export class SignInLink {
  private made: { digest: Buffer; until: number } | null = null;

  /** @param page its address. @returns a link that replaces an earlier one */
  make(page: string): string {
    const code = `ty_link_${randomBytes(32).toString('base64url')}`;
    this.made = { digest: tokenDigest(code), until: performance.now() + LIFE_MS };
    return `${page}#sign-in=${code}`;
  }

  /** The owner, once; null for every other code. */
  redeem(code: string): Principal | null {
    const { made } = this;
    if (made === null || made.until < performance.now() || !timingSafeEqual(made.digest, tokenDigest(code)))
      return null;
    this.made = null;
    return localOwner;
  }
}
