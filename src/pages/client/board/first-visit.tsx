import { useAction } from '../action.js';
import { api, must } from '../api.js';
import { useDraft } from '../parts/draft.js';
import { Refusal } from '../parts/notice.js';
import { projectsChanged } from '../projects.js';
import { go, to } from '../routes.js';

/** Whether it is a git URL rather than a folder on the server. */
const URL_OF_GIT = /^([a-z+]+:\/\/|[\w.-]+@[\w.-]+:)/i;

export const repoAt = (place: string) =>
  URL_OF_GIT.test(place.trim()) ? { url: place.trim() } : { path: place.trim() };

/** A project from one repository, named after its folder. */
export function FirstVisit() {
  const [place, setPlace] = useDraft('first repository');
  const add = useAction(async () => {
    const at = place.trim();
    const name =
      at
        .replace(/\/+$|\.git$/g, '')
        .split(/[/:]/)
        .at(-1) || at;
    const { project_id } = await must(api.POST('/api/projects', { body: { name, repos: [repoAt(at)] } }));
    setPlace('');
    projectsChanged();
    go(to.board(project_id));
  }, 'Repository added');
  const submit = (event: Event) => {
    event.preventDefault();
    if (place.trim()) add.run();
  };
  return (
    <form class="card first-visit" onSubmit={submit}>
      <label>
        Repository
        <input
          type="text"
          value={place}
          placeholder="/home/ada/shop or https://git.example.com/shop.git"
          spellcheck={false}
          onInput={(event) => setPlace(event.currentTarget.value)}
        />
      </label>
      <p class="quiet">
        A folder on the server's machine, or an address to clone from. Your own checkout is never touched.
      </p>
      <button class="primary" disabled={add.isRunning}>
        Add repository
      </button>
      <Refusal error={add.error} />
    </form>
  );
}
