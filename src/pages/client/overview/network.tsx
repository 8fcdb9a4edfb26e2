import { useState } from 'preact/hooks';
import { useAction } from '../action.js';
import { api, must } from '../api.js';
import { Refusal } from '../parts/notice.js';
import type { Project } from '../types.js';

const NETWORKS = {
  open: 'Every public host',
  listed: 'Listed hosts only',
  none: 'None',
} as const;
type Network = keyof typeof NETWORKS;

/** What runs of a project reach. */
export function Network({ project }: { project: Project }) {
  const [network, setNetwork] = useState<Network>(project.network);
  const [hosts, setHosts] = useState(project.allowed_hosts.join('\n'));
  const [presets, setPresets] = useState(project.presets.join(', '));
  const save = useAction(async () => {
    const params = { path: { project_id: project.project_id } };
    const body = { network, allowed_hosts: words(hosts), presets: words(presets) };
    const saved = await must(api.PUT('/api/projects/{project_id}', { params, body }));
    setHosts(saved.allowed_hosts.join('\n'));
    setPresets(saved.presets.join(', '));
  }, 'Network saved');
  const submit = (event: Event) => {
    event.preventDefault();
    save.run();
  };
  return (
    <details>
      <summary>Network</summary>
      <form onSubmit={submit}>
        <label>
          What runs reach
          <select value={network} onChange={(event) => setNetwork(event.currentTarget.value as Network)}>
            {Object.entries(NETWORKS).map(([value, text]) => (
              <option key={value} value={value}>
                {text}
              </option>
            ))}
          </select>
        </label>
        <label>
          Presets
          <input
            type="text"
            value={presets}
            spellcheck={false}
            onInput={(event) => setPresets(event.currentTarget.value)}
          />
        </label>
        <label>
          Allowed hosts, one a line
          <textarea
            rows={4}
            value={hosts}
            spellcheck={false}
            placeholder="registry.example.com"
            onInput={(event) => setHosts(event.currentTarget.value)}
          />
        </label>
        <button disabled={save.isRunning}>Save</button>
        <Refusal error={save.error} />
      </form>
    </details>
  );
}

const words = (text: string): string[] => text.split(/[\s,]+/).filter(Boolean);
