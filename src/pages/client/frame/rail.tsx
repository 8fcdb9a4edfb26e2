import { useEffect, useState } from 'preact/hooks';
import { onLine } from '../feed.js';
import { useBrowserNotices, useNotices } from '../inbox/notices.js';
import { Avatar } from '../parts/avatar.js';
import { Icon, type IconName, Mark } from '../parts/icon.js';
import { InlineText } from '../parts/inline-text.js';
import { Toasts } from '../parts/toasts.js';
import { useWaitingCount } from '../parts/tab-state.js';
import { useProject, useProjects } from '../projects.js';
import { hasScope } from '../rights.js';
import { type NamedView, type Place, to } from '../routes.js';
import { PaletteButtons } from '../search/open-palette.js';
import { type Me, signOut } from './session.js';
import { ThemeMenu } from './theme-menu.js';

const LINKS: readonly [NamedView, string, IconName][] = [
  ['inbox', 'Inbox', 'inbox'],
  ['work', 'My work', 'mine'],
  ['projects', 'Projects', 'project'],
  ['executors', 'Executors', 'executors'],
  ['throughput', 'Throughput', 'throughput'],
];
const MOST_PROJECTS = 10;

interface RailProps {
  place: Place | null;
  me: Me;
  help: () => void;
}

/** What is always within reach: at the left, or above on a narrow screen. */
export function Rail({ place, me, help }: RailProps) {
  return (
    <header class="rail">
      <div class="rail-head">
        <a class="brand" href={to.home()}>
          <Mark /> <span>Taskyard</span>
        </a>
        <PaletteButtons />
      </div>
      <Links place={place} />
      <Connection />
      <Toasts />
      <div class="rail-foot">
        <span class="who" title={me.roles.join(', ') || undefined}>
          <Avatar name={me.name} />
          <span>
            {me.name}
            {place?.project && <Role project_id={place.project} of={me.name} />}
          </span>
        </span>
        <ThemeMenu />
        <button type="button" class="plain" aria-label="Help" title="Help" onClick={help}>
          <Icon name="ask" />
        </button>
        {hasScope(me, 'admin') && (
          <a
            class="button plain"
            href={to.instance()}
            aria-label="Instance"
            title="Instance"
            aria-current={place?.view === 'instance' ? 'page' : undefined}
          >
            <Icon name="settings" />
          </a>
        )}
        {me.kind === 'session' && (
          <button type="button" class="plain" aria-label="Sign out" title="Sign out" onClick={() => void signOut()}>
            <Icon name="leave" />
          </button>
        )}
      </div>
    </header>
  );
}

function Links({ place }: { place: Place | null }) {
  const notices = useNotices().data;
  const waiting = notices?.unread ?? 0;
  useWaitingCount(waiting);
  useBrowserNotices(notices);
  return (
    <nav aria-label="Main">
      <ul>
        {LINKS.map(([name, words, icon]) => (
          <li key={name}>
            <a href={to.named(name)} aria-current={place?.view === name ? 'page' : undefined}>
              <Icon name={icon} />
              {words}
              {name === 'inbox' && waiting > 0 && (
                <span class="count asks">
                  {waiting}
                  <span class="visually-hidden"> unread</span>
                </span>
              )}
            </a>
          </li>
        ))}
      </ul>
      <Boards place={place} />
    </nav>
  );
}

/** The boards of the newest projects. */
function Boards({ place }: { place: Place | null }) {
  const { data } = useProjects();
  const projects = data?.projects.slice(0, MOST_PROJECTS) ?? [];
  if (projects.length === 0) return null;
  return (
    <ul class="projects" aria-label="Boards">
      {projects.map(({ project_id, name }) => (
        <li key={project_id}>
          <a href={to.board(project_id)} aria-current={place?.project === project_id ? 'true' : undefined}>
            <Avatar name={name} />
            <span class="name">
              <InlineText text={name} />
            </span>
          </a>
        </li>
      ))}
    </ul>
  );
}

/** In the project at hand; groups may have given it. Whoever is named by it says it already. */
function Role({ project_id, of }: { project_id: string; of: string }) {
  const { data } = useProject(project_id);
  return data && data.role !== of && <>, {data.role}</>;
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
