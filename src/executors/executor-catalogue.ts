import { Inject, Injectable } from '@nestjs/common';
import { ENVIRONMENT, type Environment } from '../config/environment.js';
import { RunnerLease } from '../cluster/runner-lease.js';
import { type ExecutorElsewhere, RunnersRepository } from '../cluster/runners.repository.js';
import { AppError } from '../platform/errors/app-error.js';
import { canonicalExecutor, listedVariants } from './executor-names.js';
import type { ExecutorOutput } from './executor.dto.js';
import { EXECUTOR_ADAPTERS, type ExecutorAdapter, type ExecutorInfo, type Taken } from './executor.js';

const AWAY = 'its runner is away; a run waits in the queue until one is back';
const NOT_HERE = { is_available: false, reason: null };
const WITHOUT_VARIANTS =
  'Leave variant out; {executor} has none. {next:list_executors} lists those of other executors.';

/** Looks for their programs on this machine. */
export const findExecutors = (adapters: readonly ExecutorAdapter[]): Promise<ExecutorOutput[]> =>
  Promise.all(
    adapters.map(async (adapter) => ({
      ...adapter.info,
      variants: listedVariants(adapter.info),
      note: adapter.info.note ?? null,
      ...(await adapter.availability()),
    })),
  );

/** Every executor that this process or another runner has, by id. */
@Injectable()
export class ExecutorCatalogue {
  private readonly adapters: Map<string, ExecutorAdapter>;

  constructor(
    @Inject(EXECUTOR_ADAPTERS) adapters: ExecutorAdapter[],
    @Inject(ENVIRONMENT) private readonly environment: Pick<Environment, 'ROLE' | 'EXECUTORS'>,
    private readonly lease: RunnerLease,
    private readonly runnerRows: RunnersRepository,
  ) {
    this.adapters = new Map(adapters.map((adapter) => [adapter.info.executor, adapter]));
  }

  /** @throws AppError executor_unknown */
  get(executor: string): ExecutorAdapter {
    const adapter = this.adapters.get(executor);
    if (!adapter) throw new AppError('executor_unknown', { executor, known: this.ids });
    return adapter;
  }

  /** What this process and other runners declare; available if any living runner has it. */
  async list(): Promise<ExecutorOutput[]> {
    const [own, elsewhere] = await Promise.all([this.listOwn(), this.elsewhere()]);
    const ofOthers = [...elsewhere.values()].filter(({ executor }) => !this.adapters.has(executor));
    return [...own, ...ofOthers.map(({ is_known: _, ...declared }) => declared)]
      .map((output) => this.asOffered(output, elsewhere.get(output.executor)))
      .sort((one, other) => (one.executor < other.executor ? -1 : 1));
  }

  /** As this process finds them. */
  listOwn(): Promise<ExecutorOutput[]> {
    return findExecutors(this.ids.map((id) => this.get(id)));
  }

  /** Checks that executor and variant can start, now or once its runner is back. Returns the variant to store; null for
   *  DEFAULT and none.
   *  @param hint what to do about an unknown variant, if that is not obvious
   *  @throws AppError executor_unknown, variant_unknown, executor_unavailable */
  async choose(
    executor: string,
    variant: string | undefined,
    hint?: string,
  ): Promise<{ executor: string; variant: string | null }> {
    const chosen = await this.chooseVariant(executor, variant, hint);
    const { is_available, reason } = (await this.adapters.get(executor)?.availability()) ?? NOT_HERE;
    if (is_available && this.runsHere) return { executor, variant: chosen };
    const other = (await this.elsewhere()).get(executor);
    if (other === undefined ? !is_available : !other.is_known)
      throw new AppError('executor_unavailable', { executor, reason: other?.reason ?? reason });
    return { executor, variant: chosen };
  }

  private asOffered(output: ExecutorOutput, other: ExecutorElsewhere | undefined): ExecutorOutput {
    if (other === undefined || (output.is_available && this.runsHere && this.adapters.has(output.executor)))
      return output;
    const reason = other.is_known ? AWAY : (other.reason ?? output.reason);
    return { ...output, is_available: other.is_available, reason: other.is_available ? null : reason };
  }

  /** What the prompt of an executor is. @throws AppError executor_unknown */
  async takes(executor: string): Promise<Taken> {
    return (await this.infoOf(executor)).takes;
  }

  /** Whether it can call tools. @throws AppError executor_unknown, executor_without_mcp */
  async requireMcp(executor: string): Promise<void> {
    const { supports_mcp } = await this.infoOf(executor);
    if (!supports_mcp) throw new AppError('executor_without_mcp', { executor });
  }

  /** Hosts of the models that an executor uses by itself; none where it is not known here. */
  modelHosts(executor: string): readonly string[] {
    return this.adapters.get(executor)?.modelHosts ?? [];
  }

  private get ids(): string[] {
    return [...this.adapters.keys()].sort();
  }

  private get runsHere(): boolean {
    return this.environment.ROLE !== 'api';
  }

  private async elsewhere(): Promise<Map<string, ExecutorElsewhere>> {
    const rows = await this.runnerRows.listExecutors(this.lease.id);
    const { EXECUTORS } = this.environment;
    const allowed = rows.filter(
      ({ executor }) => EXECUTORS.length === 0 || EXECUTORS.map(canonicalExecutor).includes(executor),
    );
    return new Map(allowed.map((row) => [row.executor, row]));
  }

  /** Of this process, else as other runners declare it. @throws AppError executor_unknown */
  private async infoOf(executor: string): Promise<Omit<ExecutorInfo, 'executor' | 'note'>> {
    const own = this.adapters.get(executor)?.info;
    if (own !== undefined) return own;
    const elsewhere = await this.elsewhere();
    const known = [...new Set([...this.ids, ...elsewhere.keys()])].sort();
    const other = elsewhere.get(executor);
    if (other === undefined) throw new AppError('executor_unknown', { executor, known });
    return other;
  }

  /** @throws AppError executor_unknown, variant_unknown */
  async chooseVariant(executor: string, variant: string | undefined, hint?: string): Promise<string | null> {
    const info = await this.infoOf(executor);
    if (variant === undefined || variant === 'DEFAULT') return info.default_variant;
    if (!info.variants.includes(variant))
      throw new AppError(
        'variant_unknown',
        { executor, variant, known: info.variants },
        hint ?? (info.variants.length ? undefined : WITHOUT_VARIANTS),
      );
    return variant;
  }
}
