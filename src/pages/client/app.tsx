import { useEffect, useState } from 'preact/hooks';
import { AttemptPage } from './attempt/attempt-page.js';
import { BoardPage } from './board/board-page.js';
import { HomePage } from './board/home-page.js';
import { openFeed } from './feed.js';
import { Header } from './frame/header.js';
import { Help } from './frame/help.js';
import { SignIn, SignInAgain } from './frame/sign-in.js';
import { type Me, useMe } from './frame/session.js';
import { useShortcuts } from './frame/shortcuts.js';
import { InboxPage } from './inbox/inbox-page.js';
import { ExecutorsPage } from './overview/executors-page.js';
import { ProjectsPage } from './overview/projects-page.js';
import { ThroughputPage } from './overview/throughput-page.js';
import { Announcer } from './parts/announcer.js';
import { Loading, Refusal } from './parts/notice.js';
import { type Place, placeOf, usePathname } from './routes.js';
import { TaskPage } from './task/task-page.js';

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
  useEffect(openFeed, []);
  useShortcuts(() => setHelpOpen(true));
  return (
    <>
      <a class="skip" href="#main">
        Skip to the content
      </a>
      <Header place={place} me={me} help={() => setHelpOpen(true)} />
      <main id="main" tabIndex={-1}>
        {place ? <View place={place} /> : <h1>There is no such page</h1>}
      </main>
      {isHelpOpen && <Help close={() => setHelpOpen(false)} />}
      <Announcer />
    </>
  );
}

function View({ place }: { place: Place }) {
  switch (place.view) {
    case 'home':
      return <HomePage />;
    case 'board':
      return <BoardPage key={place.project} project_id={place.project} />;
    case 'task':
      return <TaskPage key={place.task} place={place} />;
    case 'attempt':
    case 'changes':
      return <AttemptPage key={place.attempt} place={place} />;
    case 'inbox':
      return <InboxPage />;
    case 'executors':
      return <ExecutorsPage />;
    case 'projects':
      return <ProjectsPage />;
    case 'throughput':
      return <ThroughputPage />;
  }
}
