import { useEffect, useState } from 'preact/hooks';
import { api, must } from '../api.js';
import { onLine } from '../feed.js';
import { useQuestions } from '../inbox/questions.js';
import { useResource } from '../resource.js';
import { type Place, to } from '../routes.js';
import { type Me, signOut } from './session.js';
import { useTheme } from './theme.js';

const LINKS = [
  ['inbox', 'Inbox'],
  ['projects', 'Projects'],
  ['executors', 'Executors'],
  ['throughput', 'Throughput'],
] as const;

interface HeaderProps {
  place: Place | null;
  me: Me;
  help: () => void;
}

export function Header({ place, me, help }: HeaderProps) {
  const { data } = useQuestions();
  const waiting = data?.approvals.length ?? 0;
  return (
    <header class="top">
      <nav aria-label="Main">
        <a class="brand" href={to.home()}>
          Taskyard
        </a>
        <ul>
          {LINKS.map(([name, words]) => (
            <li key={name}>
              <a href={to.named(name)} aria-current={place?.view === name ? 'page' : undefined}>
                {words}
              </a>
              {name === 'inbox' && waiting > 0 && (
                <span class="count asks">
                  {waiting}
                  <span class="visually-hidden"> open</span>
                </span>
              )}
            </li>
          ))}
        </ul>
      </nav>
      <Connection />
      <ThemeChoice />
      <button type="button" class="plain" aria-label="Help" onClick={help}>
        ?
      </button>
      <span class="who" title={me.roles.join(', ') || undefined}>
        {me.name}
        {place?.project && <Role project_id={place.project} />}
      </span>
      {me.kind === 'session' && (
        <button type="button" class="plain" onClick={() => void signOut()}>
          Sign out
        </button>
      )}
    </header>
  );
}

/** In the project at hand; groups may have given it. */
function Role({ project_id }: { project_id: string }) {
  const { data } = useResource(`role in ${project_id}`, () =>
    must(api.GET('/api/projects/{project_id}', { params: { path: { project_id } } })),
  );
  return data && <>, {data.role}</>;
}

/** Tells when the connection is lost; the content stays. */
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
