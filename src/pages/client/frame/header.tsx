import { useEffect, useState } from 'preact/hooks';
import { onLine } from '../feed.js';
import { useQuestions } from '../inbox/questions.js';
import { to } from '../routes.js';
import { signOut } from './session.js';
import { useTheme } from './theme.js';

export function Header({ canSignOut, help }: { canSignOut: boolean; help: () => void }) {
  const { data } = useQuestions();
  const waiting = data?.approvals.length ?? 0;
  return (
    <header class="top">
      <nav aria-label="Main">
        <a class="brand" href={to.home()}>
          Taskyard
        </a>
        <a href={to.named('inbox')}>Inbox</a>
        {waiting > 0 && (
          <span class="count">
            {waiting}
            <span class="visually-hidden"> open</span>
          </span>
        )}
        <a href={to.named('projects')}>Projects</a>
        <a href={to.named('executors')}>Executors</a>
        <a href={to.named('throughput')}>Throughput</a>
      </nav>
      <Connection />
      <ThemeChoice />
      <button type="button" class="plain" aria-label="Help" onClick={help}>
        ?
      </button>
      {canSignOut && (
        <button type="button" class="plain" onClick={() => void signOut()}>
          Sign out
        </button>
      )}
    </header>
  );
}

/** Says so when nothing new arrives; what is shown stays. */
function Connection() {
  const [isOnline, setOnline] = useState(true);
  useEffect(() => onLine(setOnline), []);
  useEffect(() => {
    const look = () => setOnline(navigator.onLine);
    window.addEventListener('offline', look);
    window.addEventListener('online', look);
    return () => {
      window.removeEventListener('offline', look);
      window.removeEventListener('online', look);
    };
  }, []);
  return (
    <span role="status" class="connection">
      {isOnline ? '' : 'Offline: trying to reconnect'}
    </span>
  );
}

function ThemeChoice() {
  const [theme, choose] = useTheme();
  return (
    <label class="theme">
      <span class="visually-hidden">Theme</span>
      <select value={theme} onChange={(event) => choose(event.currentTarget.value)}>
        <option value="auto">System theme</option>
        <option value="light">Light</option>
        <option value="dark">Dark</option>
      </select>
    </label>
  );
}
