import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { ParentProxy } from '../support/parent-proxy.js';
import { RestClient } from '../support/rest-client.js';
import { AgentGround } from './agent-ground.js';
import { allExecutors, describeEach } from './cli/installed-clis.js';
import { ModelServer } from './model-server/model-server.js';

const HOST = 'model.example';

describeEach(allExecutors, (cli) => {
  let ground: AgentGround;
  let parent: ParentProxy;
  let folder: string;

  /** The model has a name that only the proxy of the company knows. */
  beforeAll(async () => {
    const model = await ModelServer.start();
    parent = await ParentProxy.start(Number(new URL(model.url).port));
    folder = mkdtempSync('/tmp/taskyard-presets-');
    const presets = path.join(folder, 'presets.json');
    writeFileSync(presets, JSON.stringify({ presets: { model: [HOST] } }));
    const settings = { RUN_NETWORK: 'auto', EGRESS_PROXY: parent.url, PRESETS_FILE: presets };
    ground = await AgentGround.start(cli, settings, { model, url: `http://${HOST}` });
    const rest = new RestClient(ground.server.url, { authorization: 'Bearer the-token-of-the-server' });
    await rest.does('PUT', `/api/projects/${ground.project.project_id}`, { network: 'listed', presets: ['model'] });
  });
  afterAll(async () => {
    await ground?.stop();
    parent.stop();
    rmSync(folder, { recursive: true });
  });

  it('finishes a turn with the hosts of its model alone, and its own tools', async () => {
    const { attempt_id, ...ended } = await ground.run('get_context', 'Where are you?');
    expect(ended).toMatchObject({ state: 'completed', failure_summary: null });
    const asked = ground.model.asked('Where are you?');
    expect(asked[0]!.whole).toContain(`reaches only these hosts, by the proxy in HTTPS_PROXY: ${HOST}`);
    expect(asked.at(-1)!.results.at(-1)).toContain(attempt_id);
    const rows = await ground.server.query<{ host: string; count: number }>(
      'SELECT host, count::int AS count FROM network_denials ORDER BY host',
    );
    process.stdout.write(`${cli.executor} wanted beyond that: ${JSON.stringify(rows)}\n`);
  });
});
