import { type BeforeApplicationShutdown, Injectable, Logger } from '@nestjs/common';
import { type ToolInvocation, ToolInvocationsRepository } from './tool-invocations.repository.js';

const FLUSH_EVERY_MS = 500;
const FLUSH_AT = 500;
/** While the database is away only the newest calls are kept, to bound memory. */
const KEEP_AT_MOST = 50_000;

/** Records every tool call, in batches off the request path. */
@Injectable()
export class ToolInvocationLog implements BeforeApplicationShutdown {
  private readonly logger = new Logger(ToolInvocationLog.name);
  private calls: ToolInvocation[] = [];
  private timer: NodeJS.Timeout | null = null;
  private writing: Promise<void> = Promise.resolve();

  constructor(private readonly repository: ToolInvocationsRepository) {}

  add(call: ToolInvocation): void {
    this.calls.push(call);
    if (this.calls.length > KEEP_AT_MOST) this.calls.splice(0, this.calls.length - KEEP_AT_MOST);
    if (this.calls.length === FLUSH_AT) void this.flush();
    else this.timer ??= setTimeout(() => void this.flush(), FLUSH_EVERY_MS).unref();
  }

  /** Stores everything that was added, or keeps it for the next time. */
  flush(): Promise<void> {
    if (this.timer) clearTimeout(this.timer);
    this.timer = null;
    this.writing = this.writing.then(() => this.write());
    return this.writing;
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.flush();
  }

  private async write(): Promise<void> {
    const batch = this.calls;
    this.calls = [];
    if (batch.length === 0) return;
    try {
      await this.repository.insert(batch);
    } catch (error) {
      this.calls = [...batch, ...this.calls].slice(-KEEP_AT_MOST);
      this.logger.warn(`${batch.length} tool calls not recorded yet: ${(error as Error).message}`);
    }
  }
}
