import { createHash } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import type { SignInSecrets } from '../oidc/provider-client.js';
import type { SecretBox } from '../secrets/secret-box.js';

const PURPOSE = 'sign-in of the page';
/** Somebody may have to find their second factor. */
const LIFE_SECS = 15 * 60;

/** What a browser keeps while its person is at the provider. */
export interface Transaction extends SignInSecrets {
  return_to: string;
  /** Epoch in milliseconds. */
  until: number;
}

/** Sealed in a cookie of its own for each sign-in, so that two tabs sign in at once. It comes along when the provider
 *  sends the person back, which the session's own cookie would not. */
export class Transactions {
  /** @param path of the address that the provider sends back to */
  constructor(
    private readonly box: SecretBox,
    private readonly path: string,
  ) {}

  /** The header that sets the cookie. */
  begin(request: FastifyRequest, secrets: SignInSecrets, return_to: string): string {
    const transaction: Transaction = { ...secrets, return_to, until: Date.now() + LIFE_SECS * 1_000 };
    const sealed = this.box.seal(JSON.stringify(transaction), PURPOSE).toString('base64url');
    return this.cookie(request, secrets.state, sealed, LIFE_SECS);
  }

  /** Null where it was begun in another browser, is over, or was finished already. */
  find({ headers }: FastifyRequest, state: string): Transaction | null {
    const name = nameOf(state);
    const [, sealed] =
      headers.cookie
        ?.split(/;\s*/)
        .map((pair) => pair.split('='))
        .find(([key]) => key === name) ?? [];
    const opened = sealed === undefined ? null : this.box.open(Buffer.from(sealed, 'base64url'), PURPOSE);
    const transaction = opened === null ? null : (JSON.parse(opened) as Transaction);
    return transaction?.state === state && transaction.until > Date.now() ? transaction : null;
  }

  /** The header that takes the cookie away. */
  end(request: FastifyRequest, state: string): string {
    return this.cookie(request, state, '', 0);
  }

  private cookie({ protocol }: FastifyRequest, state: string, value: string, maxAgeSecs: number): string {
    const secure = protocol === 'https' ? '; Secure' : '';
    return `${nameOf(state)}=${value}; Path=${this.path}; Max-Age=${maxAgeSecs}; HttpOnly; SameSite=Lax${secure}`;
  }
}

const nameOf = (state: string): string =>
  `ty_sign_in_${createHash('sha256').update(state).digest('base64url').slice(0, 16)}`;
