import { useEffect, useRef, useState } from 'preact/hooks';
import { useAction } from '../action.js';
import { base } from '../base.js';
import { Mark } from '../parts/icon.js';
import { Refusal } from '../parts/notice.js';
import { useTitle } from '../parts/tab-state.js';
import { signIn } from './session.js';

const ways = (document.documentElement.dataset.signIn ?? '').split(' ');

interface SignInProps {
  signedIn: () => void;
}

/** Whoever opened a place of the page comes back to it. */
export function SignIn({ signedIn }: SignInProps) {
  useTitle('Sign in');
  return (
    <main class="sign-in">
      <div class="card">
        <p class="brand">
          <Mark /> Taskyard
        </p>
        <h1>Sign in</h1>
        <p class="quiet">This server wants to know who you are.</p>
        <Ways signedIn={signedIn} />
      </div>
    </main>
  );
}

/** Over the view in which the session ended: what was typed there stays. */
export function SignInAgain({ signedIn }: SignInProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog ref={dialog} class="card" aria-labelledby="session-ended" onCancel={(event) => event.preventDefault()}>
      <h2 id="session-ended">Your session has ended</h2>
      <p class="quiet">What you typed is still here. Sign in, and go on.</p>
      <Ways signedIn={signedIn} isAside />
    </dialog>
  );
}

function Ways({ signedIn, isAside = false }: SignInProps & { isAside?: boolean }) {
  const [wantsToken, setWantsToken] = useState(!ways.includes('provider'));
  const place = encodeURIComponent(location.pathname + location.search);
  return (
    <>
      {ways.includes('provider') && (
        <a
          class="button primary"
          href={`${base}/ui/sign-in?return_to=${place}`}
          target={isAside ? '_blank' : undefined}
        >
          Sign in
        </a>
      )}
      {wantsToken && <TokenForm signedIn={signedIn} button={ways.includes('provider') ? 'Use it' : 'Sign in'} />}
      {!wantsToken && ways.includes('token') && (
        <button type="button" class="plain" onClick={() => setWantsToken(true)}>
          Sign in with a token
        </button>
      )}
    </>
  );
}

function TokenForm({ signedIn, button }: SignInProps & { button: string }) {
  const [token, setToken] = useState('');
  const enter = useAction(async () => {
    await signIn(token.trim());
    setToken('');
    signedIn();
  });
  const submit = (event: Event) => {
    event.preventDefault();
    if (token.trim()) enter.run();
  };
  return (
    <form onSubmit={submit}>
      <p class="quiet">
        Paste a token, or what the file local-token in its data folder holds; it is not kept in the browser.
      </p>
      <label>
        Token
        <input
          type="text"
          class="secret"
          autocomplete="off"
          spellcheck={false}
          value={token}
          onInput={(event) => setToken(event.currentTarget.value)}
        />
      </label>
      <button class="primary" disabled={enter.isRunning}>
        {button}
      </button>
      <Refusal error={enter.error} />
    </form>
  );
}
