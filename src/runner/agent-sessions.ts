import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { ENVIRONMENT, type Environment } from '../config/environment.js';
import type { TurnExecution } from '../executions/execution.entity.js';
import { ExecutorCatalogue } from '../executors/executor-catalogue.js';
import type { SessionFile } from '../executors/executor.js';
import { localOwner } from '../platform/access/principal.js';
import { RunnerLease } from '../cluster/runner-lease.js';
import type { Transaction } from '../platform/database/database.js';
import { type AgentSessionFile, AgentSessionFilesRepository } from '../sessions/agent-session-files.repository.js';
import { ProjectSecretsService } from '../projects/project-secrets.service.js';
import { SessionsRepository } from '../sessions/sessions.repository.js';
import { withStateFile, writeStateFile } from '../workspaces/state-files.js';
import { type Workspace, WORKSPACE_HOST, type WorkspaceHost } from '../workspaces/workspace-host.js';
import { AgentStates } from './agent-states.js';
import { isPassing } from './retry-until-available.js';

const [pack, unpack] = [promisify(gzip), promisify(gunzip)];
/** Before compression, which shrinks conversations to a tenth. */
const LARGEST_FILE = 256 * 1024 * 1024;
/** Agents choose these ids, so they must not lead elsewhere. */
const ID = /^[A-Za-z0-9_-]{1,128}$/;

interface Known extends SessionFile {
  agent_session_id: string;
}

/** Conversations of agents that keep each in a file: saved with the work, and restored on the next runner. Without the
 *  file the agent is told what was said. */
@Injectable()
export class AgentSessions {
  private readonly logger = new Logger(AgentSessions.name);

  constructor(
    @Inject(ENVIRONMENT) private readonly environment: Environment,
    private readonly lease: RunnerLease,
    private readonly executors: ExecutorCatalogue,
    @Inject(WORKSPACE_HOST) private readonly host: WorkspaceHost,
    private readonly states: AgentStates,
    private readonly sessionRows: SessionsRepository,
    private readonly fileRows: AgentSessionFilesRepository,
    private readonly secrets: ProjectSecretsService,
  ) {}

  /** Without values of secrets. Null if there is none, nothing is new, it is too large, or it holds a secret and is no
   *  text. */
  async read(execution: TurnExecution, workspace: Workspace): Promise<AgentSessionFile | null> {
    return this.unlessItFails(execution, 'could not be saved', async () => {
      const known = await this.known(execution, workspace);
      if (known === null) return null;
      const saved = await this.fileRows.fingerprint(execution.session_id);
      const { agent_session_id } = known;
      return withStateFile(known.folder, known.path, async (file) => {
        const { path, bytes, fingerprint } = file;
        if (fingerprint === saved || bytes > LARGEST_FILE) return null;
        const scrubbed = (await this.secrets.scrubber(execution.project_id)).file(await file.read());
        if (scrubbed === null) return null;
        const content = await pack(scrubbed);
        if (content.length > this.environment.WORKSPACE_SNAPSHOT_MAX_BYTES) return null;
        return { agent_session_id, path, content, fingerprint, saved_by: this.lease.id };
      });
    });
  }

  store(tx: Transaction, execution: TurnExecution, file: AgentSessionFile): Promise<void> {
    return this.fileRows.store(tx, execution, file);
  }

  /** Before the agent starts, unless the newest version is already here. */
  async restore(execution: TurnExecution, workspace: Workspace): Promise<void> {
    if (this.environment.CLUSTER_SECRET === '') return;
    await this.unlessItFails(execution, 'could not be restored', async () => {
      const known = await this.known(execution, workspace);
      const saved = known && (await this.fileRows.find(execution.session_id));
      if (!saved || saved.agent_session_id !== known.agent_session_id) return null;
      const isHere = saved.saved_by === this.lease.id;
      if (isHere && (await withStateFile(known.folder, known.path, () => Promise.resolve(true)))) return null;
      const path = fileAt(known.path, saved.path);
      if (path === null) return null;
      const content = await unpack(saved.content, { maxOutputLength: LARGEST_FILE });
      const here = known.moved ? Buffer.from(known.moved(content.toString('utf8'))) : content;
      await writeStateFile(known.folder, path, here);
      return null;
    });
  }

  private async known(execution: TurnExecution, workspace: Workspace): Promise<Known | null> {
    if (execution.run_reason !== 'codingagent') return null;
    const { executor, agent_session_id } = await this.sessionRows.get(localOwner, execution.session_id);
    if (agent_session_id === null || !ID.test(agent_session_id)) return null;
    const cwd = this.host.workingDirectory(workspace);
    const file = this.executors.get(executor).sessionFile?.(agent_session_id, cwd);
    if (!file) return null;
    return { ...file, agent_session_id, folder: this.states.folderOf(workspace, file.folder) };
  }

  /** Failures are logged and fail no turn; a database that is away is an error to be waited out. */
  private async unlessItFails<T>(
    { attempt_id }: TurnExecution,
    what: string,
    work: () => Promise<T | null>,
  ): Promise<T | null> {
    try {
      return await work();
    } catch (error) {
      if (isPassing(error)) throw error;
      this.logger.warn({ err: error, attempt_id }, `the conversation of the agent ${what}`);
      return null;
    }
  }
}

/** Where the agent looks for it here: by working directory, or by the names it chose itself. */
function fileAt(pattern: string, saved: string): string | null {
  if (!pattern.includes('*')) return pattern;
  const form = pattern.split('*').map((part) => part.replace(/[.+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${form.join('[^/]*')}$`).test(saved) && !saved.split('/').includes('..') ? saved : null;
}
