import { Injectable } from '@nestjs/common';
import { AuditService } from '../audit/audit.service.js';
import type { RunInput } from '../mcp/providers.js';
import type { Principal } from '../platform/access/principal.js';
import { Database } from '../platform/database/database.js';
import { AppError } from '../platform/errors/app-error.js';
import { refusal } from '../platform/fields/input-errors.js';
import { Scrubber } from '../secrets/scrubber.js';
import type { ProjectTarget } from './project.dto.js';
import { projectFact } from './project.entity.js';
import { type OpenedSecret, ProjectSecretsRepository, type SecretRow } from './project-secrets.repository.js';
import { ProjectsRepository } from './projects.repository.js';
import type {
  ListSecretsOutput,
  RemovedSecretOutput,
  SecretOutput,
  SecretTarget,
  SecretUse,
  SetSecretInput,
} from './secret.dto.js';

const NAME = /^[A-Z_][A-Z0-9_]*$/;
/** What would change how a process runs or whose it is, rather than what it knows. */
const RESERVED = /^(TASKYARD_|GIT_|LD_)|_PROXY$|^(PATH|NODE_OPTIONS)$/;
const DEFAULT_USES: readonly SecretUse[] = ['setup', 'checks'];
const MOST = 100;

/** Secrets for one process of a run. */
export interface RunSecrets {
  environment: Readonly<Record<string, string>>;
  /** Of all values of the project: what one script has got another may say. */
  scrubber: Scrubber;
}

/** Secrets of a project, which are set and used and never shown again. No tool of a run leads here. */
@Injectable()
export class ProjectSecretsService implements RunInput {
  constructor(
    private readonly database: Database,
    private readonly projectRows: ProjectsRepository,
    private readonly secretRows: ProjectSecretsRepository,
    private readonly audit: AuditService,
  ) {}

  /** @throws AppError project_not_found, not_a_member, forbidden */
  async list({ project_id }: ProjectTarget, principal: Principal): Promise<ListSecretsOutput> {
    await this.projectRows.get(principal, project_id);
    return { project_id, secrets: (await this.secretRows.list(project_id)).map(toOutput) };
  }

  /** @throws AppError project_not_found, not_a_member, forbidden, secret_name_reserved */
  async set({ project_id, name, value, expose }: SetSecretInput, principal: Principal): Promise<SecretOutput> {
    const uses = [...new Set(expose ?? DEFAULT_USES)];
    return this.database.transaction(async (tx) => {
      await this.projectRows.lock(tx, principal, project_id); // a stranger learns nothing else
      requireSecretName('name', name);
      if (value.includes('\0')) throw refusal([{ field: 'value', message: 'value must not contain a NUL' }]);
      const before = await this.secretRows.list(project_id);
      if (before.length >= MOST && !before.some((row) => row.name === name))
        throw refusal([{ field: 'name', message: `a project may have ${MOST} secrets; remove one first` }]);
      const row = await this.secretRows.set(tx, { project_id, name, value, expose: uses });
      await this.audit.record(tx, principal, projectFact(project_id, 'secret_set', { after: { name, expose: uses } }));
      return toOutput(row);
    });
  }

  /** @throws AppError project_not_found, not_a_member, forbidden */
  async remove({ project_id, name }: SecretTarget, principal: Principal): Promise<RemovedSecretOutput> {
    return this.database.transaction(async (tx) => {
      await this.projectRows.lock(tx, principal, project_id);
      if (await this.secretRows.delete(tx, project_id, name))
        await this.audit.record(tx, principal, projectFact(project_id, 'secret_removed', { before: { name } }));
      return { removed_secret: name };
    });
  }

  /** Whether runs of the project have what they need. @throws AppError secret_missing */
  async requireAll(project_id: string): Promise<void> {
    await this.opened(project_id);
  }

  /** For one process. @throws AppError secret_missing where one that is required is not there, or one that the process
   *  would get cannot be opened any more */
  async forProcess(project_id: string, use: SecretUse): Promise<RunSecrets> {
    const secrets = await this.opened(project_id);
    const exposed = secrets.filter(({ expose }) => expose.includes(use));
    const lost = exposed.filter(({ value }) => value === null).map(({ name }) => name);
    if (lost.length > 0) throw missing(project_id, lost);
    return {
      environment: Object.fromEntries(exposed.map(({ name, value }) => [name, value!])),
      scrubber: scrubberOf(secrets),
    };
  }

  /** For what a run leaves behind. */
  async scrubber(project_id: string): Promise<Scrubber> {
    return scrubberOf((await this.secretRows.open(project_id)).secrets);
  }

  async storable(args: unknown, { projects }: Principal): Promise<unknown> {
    const scrubbers = await Promise.all((projects as readonly string[]).map((id) => this.scrubber(id)));
    return scrubbers.reduce((cleaned, scrubber) => scrubber.record(cleaned), args);
  }

  private async opened(project_id: string) {
    const { required, secrets } = await this.secretRows.open(project_id);
    const readable = secrets.filter(({ value }) => value !== null).map(({ name }) => name);
    const absent = required.filter((name) => !readable.includes(name));
    if (absent.length > 0) throw missing(project_id, absent);
    return secrets;
  }
}

/** @throws AppError invalid_argument, secret_name_reserved */
export function requireSecretName(field: string, name: string): void {
  if (!NAME.test(name))
    throw refusal([{ field, message: `"${name}" is no name of a variable: upper-case letters, digits and _ only` }]);
  if (RESERVED.test(name)) throw new AppError('secret_name_reserved', { name });
}

const scrubberOf = (secrets: readonly OpenedSecret[]): Scrubber =>
  new Scrubber(secrets.flatMap(({ value }) => value ?? []));

const missing = (project_id: string, names: string[]): AppError =>
  new AppError('secret_missing', { project_id, names });

const toOutput = ({ updated_at, ...row }: SecretRow): SecretOutput => ({
  ...row,
  updated_at: updated_at.toISOString(),
});
