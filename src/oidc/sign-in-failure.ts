import * as oidc from 'openid-client';

/** Why nobody is signed in, in words for the person; `isRefusal` where asking again would end in the same. */
export class SignInFailure extends Error {
  constructor(
    readonly title: string,
    readonly words: string,
    readonly isRefusal: boolean,
    cause?: unknown,
  ) {
    super(`${title}: ${words}`, { cause });
  }

  /** Whether the provider knows the client, and no more the code or token. */
  get isOver(): boolean {
    return this.cause instanceof oidc.ResponseBodyError && this.cause.error === 'invalid_grant';
  }
}

const away = (cause: unknown): SignInFailure =>
  new SignInFailure(
    'The identity provider does not answer',
    'Nobody can sign in until it does. Try again.',
    false,
    cause,
  );

/** An answer that is none to what was asked. */
export const unfit = (reason: string, cause?: unknown): SignInFailure =>
  new SignInFailure(
    'That is not what was asked for',
    `What the identity provider sent does not fit: ${reason}. ` +
      'Sign in again; if that does not help, tell whoever runs Taskyard.',
    true,
    cause,
  );

/** What went wrong at the provider. */
export function failureOf(error: unknown): SignInFailure {
  if (error instanceof SignInFailure) return error;
  if (error instanceof oidc.AuthorizationResponseError) return sentBack(error);
  if (error instanceof oidc.ResponseBodyError) return refused(error);
  return isAway(error) ? away(error) : unfit(reasonOf(error), error);
}

function sentBack(error: oidc.AuthorizationResponseError): SignInFailure {
  if (error.error === 'server_error' || error.error === 'temporarily_unavailable') return away(error);
  const said = error.error_description ?? error.error;
  return new SignInFailure(
    'The identity provider did not let you in',
    `It says: ${JSON.stringify(said)}.`,
    true,
    error,
  );
}

function refused(error: oidc.ResponseBodyError): SignInFailure {
  if (error.status >= 500) return away(error);
  if (error.error === 'invalid_grant')
    return new SignInFailure(
      'This sign-in is over',
      'It was used already, or took too long. Sign in again.',
      true,
      error,
    );
  const words =
    error.error === 'invalid_client' || error.error === 'unauthorized_client'
      ? 'It does not know this server: OIDC_CLIENT_ID or OIDC_CLIENT_SECRET is wrong. Tell whoever runs Taskyard.'
      : `It says: ${JSON.stringify(error.error_description ?? error.error)}.`;
  return new SignInFailure('The identity provider refuses this server', words, true, error);
}

/** No answer, or one that no provider gives: a proxy in between, or a server that is starting. */
function isAway(error: unknown): boolean {
  if (!(error instanceof oidc.ClientError)) return true;
  return /^OAUTH_(TIMEOUT|ABORT|RESPONSE_IS_NOT_CONFORM|RESPONSE_IS_NOT_JSON|PARSE_ERROR)$/.test(error.code ?? '');
}

/** `fetch` and the library hide what went wrong in the cause. */
function reasonOf(error: unknown): string {
  const { message, cause } = error as Error;
  return cause instanceof Error ? `${message}: ${cause.message}` : message;
}
