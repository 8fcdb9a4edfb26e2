import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { givenProject, givenTask, type Project, untilEnded } from '../support/board.js';
import { eventually, processesOfRun } from '../support/eventually.js';
import { type Json, McpClient } from '../support/mcp-client.js';
import { RestClient } from '../support/rest-client.js';
import { InProcessServer } from '../support/in-process-server.js';
import type { InstalledCli } from './cli/installed-clis.js';
import { pointAt } from './cli/settings.js';
import { ModelServer } from './model-server/model-server.js';
import type { Scenario } from './model-server/scenarios.js';

/** Not below the temporary folder, where a run sees its own: like the home of a user it can be read and not written. */
const homes = path.join(import.meta.dirname, '../../.agent-clis');
const TOKEN = 'the-token-of-the-server';
const token = { authorization: `Bearer ${TOKEN}` };

/** A server that wants a token, a project, a model server and one real agent with a home folder of its own. */
export class AgentGround {
  private constructor(
    private readonly executor: string,
    public server: InProcessServer,
    public client: McpClient,
    readonly project: Project,
    readonly model: ModelServer,
    private readonly places: string[],
    private readonly before: NodeJS.ProcessEnv,
    private readonly settings: Record<string, string>,
  ) {}

  /** @param model where the agent finds it: by default at its own address */
  static async start(
    { executor, program }: InstalledCli,
    more: Record<string, string> = {},
    { model, url }: { model: ModelServer; url: string } | { model?: undefined; url?: undefined } = {},
  ): Promise<AgentGround> {
    const before = { ...process.env };
    const ownModel = model ?? (await ModelServer.start());
    const home = mkdtempSync(path.join(homes, 'home-'));
    const own = pointAt(executor, url ?? ownModel.url, home);
    const settings = {
      TASKFLOW_SERVICE_TOKEN: TOKEN,
      AGENT_ENV: Object.keys(own).join(','),
      EXECUTOR_COMMANDS: `${executor}=${program}`,
      ...more,
    };
    Object.assign(process.env, own); // runs take from it what AGENT_ENV names, and walls hide the home folder
    const server = await InProcessServer.start(settings);
    const client = await McpClient.connect(`${server.url}/mcp`, token);
    const project = await givenProject({ rest: new RestClient(server.url, token), repositories: server.repositories });
    return new AgentGround(executor, server, client, project, ownModel, [home], before, settings);
  }

  /** Ends the server; another one goes on with its database, on a machine of its own: other folders, another home. */
  async move(): Promise<void> {
    const { server } = this;
    await this.client.close();
    await server.close();
    server.gates.close();
    const home = mkdtempSync(path.join(homes, 'home-'));
    this.places.push(home, server.environment.DATA_DIR);
    Object.assign(process.env, pointAt(this.executor, this.model.url, home));
    this.server = await InProcessServer.start(this.settings, server.database, server.repositories);
    this.client = await this.connect('/mcp');
  }

  get rest(): RestClient {
    return new RestClient(this.server.url, token);
  }

  /** A client of another endpoint. */
  connect(endpoint: string): Promise<McpClient> {
    return McpClient.connect(`${this.server.url}${endpoint}`, token);
  }

  /** A new attempt on a task, in which the model plays the scenario. */
  async begin(
    scenario: Scenario,
    prompt: string,
    more: { variant?: string; timeout_secs?: number } = {},
  ): Promise<string> {
    this.model.play(scenario);
    const task_id = await givenTask(this.client, this.project.project_id);
    return (await this.client.call('start_task_attempt', { task_id, executor: this.executor, prompt, ...more }))
      .attempt_id as string;
  }

  /** The status at its end. */
  async run(scenario: Scenario, prompt: string): Promise<Json> {
    return this.ended(await this.begin(scenario, prompt));
  }

  async followUp(attempt_id: string, scenario: Scenario, prompt: string): Promise<Json> {
    this.model.play(scenario);
    await this.client.call('follow_up', { attempt_id, action: 'send', prompt });
    return this.ended(attempt_id);
  }

  async entries(attempt_id: string): Promise<Json[]> {
    const { page } = await this.client.call('tail_attempt_logs', { attempt_id, limit: 1_000 });
    return page.entries.map(({ entry }: Json) => entry as Json);
  }

  async agentSession(attempt_id: string): Promise<string> {
    const rows = await this.server.query<Json>('SELECT agent_session_id FROM sessions WHERE attempt_id = $1', [
      attempt_id,
    ]);
    if (rows.length !== 1) throw new Error(`${rows.length} sessions where one is expected`);
    return rows[0]!.agent_session_id as string;
  }

  /** Waits until a tool of the latest run has started that program. @returns the run */
  async untilToolRuns(attempt_id: string, program: string): Promise<string> {
    const { latest_execution_process_id: run } = await this.client.call('get_attempt_status', { attempt_id });
    await eventually(
      `a tool that runs ${program}`,
      () => processesOfRun(run as string).some((pid) => nameOf(pid) === program),
      60_000,
    );
    return run as string;
  }

  async stop(): Promise<void> {
    await this.client.close();
    await this.server.stop();
    await this.model.stop();
    process.env = this.before;
    for (const place of this.places) rmSync(place, { recursive: true, force: true });
  }

  async ended(attempt_id: string): Promise<Json> {
    const status = await untilEnded(this.client, attempt_id);
    if (this.model.faults.length > 0) throw new Error(`the model server: ${this.model.faults.join('; ')}`);
    return { ...status, attempt_id };
  }
}

function nameOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/comm`, 'utf8').trim();
  } catch {
    return ''; // it ended while we looked
  }
}
