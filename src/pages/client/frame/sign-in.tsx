import { useState } from 'preact/hooks';
import { useAction } from '../action.js';
import { Refusal } from '../parts/notice.js';
import { useTitle } from '../parts/tab-state.js';
import { signIn } from './session.js';

export function SignIn({ signedIn }: { signedIn: () => void }) {
  useTitle('Sign in');
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
    <main class="sign-in">
      <form class="card" onSubmit={submit}>
        <h1>Taskyard</h1>
        <p class="quiet">
          This server wants to know who you are. Paste a token, or what the file local-token in its data folder holds;
          it is not kept in the browser.
        </p>
        <label>
          Token
          <input
            type="text"
            autocomplete="off"
            spellcheck={false}
            value={token}
            onInput={(event) => setToken(event.currentTarget.value)}
          />
        </label>
        <button class="primary" disabled={enter.isRunning}>
          Sign in
        </button>
        <Refusal error={enter.error} />
      </form>
    </main>
  );
}
