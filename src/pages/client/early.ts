/** Asks for what the first view shows while the script that draws it is still on its way. */
const base = document.documentElement.dataset.base ?? '';
const at = /\/ui\/p\/([\w-]+)(?:\/a\/([\w-]+))?(\/changes)?$/.exec(location.pathname);
const [, project, attempt, changes] = at ?? [];

function firstReads(): string[] {
  if (attempt) {
    const address = `/api/attempts/${attempt}`;
    return changes ? [address, `${address}/changes?detail=true`] : [address];
  }
  if (!project || location.search) return [];
  return [`/api/projects/${project}/board`, `/api/projects/${project}`];
}

export type EarlyAnswers = Map<string, Promise<Response>>;

declare global {
  interface Window {
    early?: EarlyAnswers;
  }
}

window.early = new Map(
  ['/api/me', ...firstReads()].map((path) => {
    const address = `${location.origin}${base}${path}`;
    const answer = fetch(address, { headers: { accept: 'application/json' } });
    answer.catch(() => undefined); // whoever needs it hears of it
    return [address, answer];
  }),
);
