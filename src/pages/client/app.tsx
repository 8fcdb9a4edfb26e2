import { useEffect, useState } from 'preact/hooks';
import { BoardPage } from './board/board-page.js';
import { HomePage } from './board/home-page.js';
import { openFeed } from './feed.js';
import { Help } from './frame/help.js';
import { Rail } from './frame/rail.js';
import { SignIn, SignInAgain } from './frame/sign-in.js';
import { type Me, useMe } from './frame/session.js';
import { useShortcuts } from './frame/shortcuts.js';
import { keepDraftsOf } from './parts/draft.js';
import { lazy } from './parts/lazy.js';
import { Loading, Refusal } from './parts/notice.js';
import { type Place, placeOf, to, usePathname } from './routes.js';
import { PaletteHost } from './search/open-palette.js';

const readAttemptPage = () => import('./attempt/attempt-page.js').then((file) => file.AttemptPage);
// at once where it is what one comes for
if (placeOf(location.pathname)?.attempt) void readAttemptPage();
const AttemptPage = lazy(readAttemptPage);
const ofWork = () => import('./views-of-work.js');
const TaskPage = lazy(() => ofWork().then((file) => file.TaskPage));
const InboxPage = lazy(() => ofWork().then((file) => file.InboxPage));
const SearchPage = lazy(() => ofWork().then((file) => file.SearchPage));
const WorkPage = lazy(() => ofWork().then((file) => file.WorkPage));
const ofSettings = () => import('./views-of-settings.js');
const ProjectsPage = lazy(() => ofSettings().then((file) => file.ProjectsPage));
const ExecutorsPage = lazy(() => ofSettings().then((file) => file.ExecutorsPage));
const ThroughputPage = lazy(() => ofSettings().then((file) => file.ThroughputPage));
const SettingsPage = lazy(() => ofSettings().then((file) => file.SettingsPage));
const InstancePage = lazy(() => ofSettings().then((file) => file.InstancePage));

/** The frame around every view, or the sign-in if nobody is signed in. */
export function App() {
  const session = useMe();
  if (session.me === null) {
    if (session.isSignedOut) return <SignIn signedIn={session.reload} />;
    return <main>{session.error ? <Refusal error={session.error} /> : <Loading />}</main>;
  }
  return (
    <>
      <SignedIn me={session.me} />
      {session.isSignedOut && <SignInAgain signedIn={session.reload} />}
    </>
  );
}

function SignedIn({ me }: { me: Me }) {
  const place = placeOf(usePathname());
  const [isHelpOpen, setHelpOpen] = useState(false);
  useState(() => keepDraftsOf(me.name)); // before any form reads its own
  useEffect(openFeed, []);
  useShortcuts(() => setHelpOpen(true));
  return (
    <>
      <a class="skip" href="#main">
        Skip to the content
      </a>
      <div class="frame">
        <Rail place={place} me={me} help={() => setHelpOpen(true)} />
        <main id="main" tabIndex={-1}>
          {place ? <View place={place} me={me} /> : <NoSuchPage />}
        </main>
      </div>
      {isHelpOpen && <Help close={() => setHelpOpen(false)} />}
      <PaletteHost project_id={place?.project ?? ''} />
    </>
  );
}

function View({ place, me }: { place: Place; me: Me }) {
  switch (place.view) {
    case 'home':
      return <HomePage />;
    case 'board':
      return <BoardPage key={place.project} project_id={place.project} />;
    case 'task':
      return <TaskPage key={place.task} place={place} me={me} />;
    case 'attempt':
    case 'log':
    case 'changes':
    case 'checks':
    case 'delivery':
      return <AttemptPage key={place.attempt} place={place} me={me} />;
    case 'settings':
      return <SettingsPage key={place.project} place={place} me={me} />;
    case 'instance':
      return <InstancePage place={place} me={me} />;
    default: {
      const Named = NAMED_VIEWS[place.view];
      return <Named />;
    }
  }
}

const NAMED_VIEWS = {
  inbox: InboxPage,
  work: WorkPage,
  search: SearchPage,
  projects: ProjectsPage,
  executors: ExecutorsPage,
  throughput: ThroughputPage,
};

const NoSuchPage = () => (
  <>
    <h1>There is no such page</h1>
    <p>
      <a href={to.home()}>To the board</a>
    </p>
  </>
);
