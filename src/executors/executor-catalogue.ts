import { Inject, Injectable } from '@nestjs/common';
import { ENVIRONMENT, type Environment } from '../config/environment.js';
import { RunnerLease } from '../platform/cluster/runner-lease.js';
import { type ExecutorElsewhere, RunnersRepository } from '../platform/cluster/runners.repository.js';
import { AppError } from '../platform/errors/app-error.js';
import type { ExecutorOutput } from './executor.dto.js';
import { EXECUTOR_ADAPTERS, type ExecutorAdapter } from './executor.js';

const AWAY = 'its runner is away; a run waits in the queue until one is back';
const WITHOUT_VARIANTS = 'Leave variant out; {executor} has none. {op:list_executors} lists those of other executors.';

/** What of them can start on this machine. */
export const findExecutors = (adapters: readonly ExecutorAdapter[]): Promise<ExecutorOutput[]> =>
  Promise.all(
    adapters.map(async (adapter) => ({
      ...adapter.info,
      variants: [...adapter.info.variants],
      ...(await adapter.availability()),
    })),
  );

/** Every executor this server knows, by id. */
@Injectable()
export class ExecutorCatalogue {
  private readonly adapters: Map<string, ExecutorAdapter>;

  constructor(
    @Inject(EXECUTOR_ADAPTERS) adapters: ExecutorAdapter[],
    @Inject(ENVIRONMENT) private readonly environment: Pick<Environment, 'ROLE'>,
    private readonly lease: RunnerLease,
    private readonly runnerRows: RunnersRepository,
  ) {
    this.adapters = new Map(adapters.map((adapter) => [adapter.info.executor, adapter]));
  }

  get ids(): string[] {
    return [...this.adapters.keys()].sort();
  }

  /** @throws AppError executor_unknown */
  get(executor: string): ExecutorAdapter {
    const adapter = this.adapters.get(executor);
    if (!adapter) throw new AppError('executor_unknown', { executor, known: this.ids });
    return adapter;
  }

  /** As far as the runners have them that live now. */
  async list(): Promise<ExecutorOutput[]> {
    const [own, elsewhere] = await Promise.all([this.listOwn(), this.elsewhere()]);
    return own.map((output) => {
      const other = elsewhere.get(output.executor);
      if (other === undefined || (output.is_available && this.runsHere)) return output;
      const reason = other.is_known ? AWAY : (other.reason ?? output.reason);
      return { ...output, is_available: other.is_available, reason: other.is_available ? null : reason };
    });
  }

  /** As this process finds them. */
  listOwn(): Promise<ExecutorOutput[]> {
    return findExecutors(this.ids.map((id) => this.get(id)));
  }

  /** An executor that can start now, or once its runner is back, with that variant. Answers the
   *  variant to store: DEFAULT and none are null.
   *  @param hint what to do about an unknown variant, where that is not obvious
   *  @throws AppError executor_unknown, variant_unknown, executor_unavailable */
  async choose(
    executor: string,
    variant: string | undefined,
    hint?: string,
  ): Promise<{ executor: string; variant: string | null }> {
    const chosen = this.chooseVariant(executor, variant, hint);
    const { is_available, reason } = await this.get(executor).availability();
    if (is_available && this.runsHere) return { executor, variant: chosen };
    const other = (await this.elsewhere()).get(executor);
    if (other === undefined ? !is_available : !other.is_known)
      throw new AppError('executor_unavailable', { executor, reason: other?.reason ?? reason });
    return { executor, variant: chosen };
  }

  private get runsHere(): boolean {
    return this.environment.ROLE !== 'api';
  }

  private async elsewhere(): Promise<Map<string, ExecutorElsewhere>> {
    const rows = await this.runnerRows.listExecutors(this.lease.id);
    return new Map(rows.map((row) => [row.executor, row]));
  }

  /** @throws AppError executor_unknown, variant_unknown */
  chooseVariant(executor: string, variant: string | undefined, hint?: string): string | null {
    const { info } = this.get(executor);
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

/** `claude-code` and `Claude_Code` mean CLAUDE_CODE. */
export const canonicalExecutor = (value: unknown): unknown =>
  typeof value === 'string' ? value.trim().toUpperCase().replace(/-/g, '_') : value;

/** DEFAULT counts as omitted: a start then takes the default of the executor, a follow-up keeps the variant of the
 *  session. */
export function canonicalVariant(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  const variant = value.trim();
  return variant.toUpperCase() === 'DEFAULT' ? undefined : variant;
}
