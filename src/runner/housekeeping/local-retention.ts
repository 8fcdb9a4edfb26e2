import { readdir, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { Inject, Injectable } from '@nestjs/common';
import { ENVIRONMENT, type Environment } from '../../config/environment.js';
import { demoSessionsOf } from '../../executors/demo/demo-profile.js';
import { ifThere } from '../../git/if-there.js';
import { WorkspacePaths } from '../../workspaces/workspace-paths.js';
import { AbandonedClones } from './abandoned-clones.js';

const DAY_MS = 86_400_000;

/** Removes old data below DATA_DIR; every runner does this for itself. */
@Injectable()
export class LocalRetention {
  constructor(
    @Inject(ENVIRONMENT) private readonly environment: Environment,
    private readonly clones: AbandonedClones,
  ) {}

  /** Tries all. @throws the first failure */
  async apply(): Promise<void> {
    const { LOG_TTL_DAYS, DATA_DIR } = this.environment;
    const conversations = [demoSessionsOf(DATA_DIR), new WorkspacePaths(DATA_DIR).agentStates];
    const left = prune(new WorkspacePaths(DATA_DIR).checkouts, 1); // no check takes that long
    const pruned = conversations.map((folder) => (LOG_TTL_DAYS > 0 ? prune(folder, LOG_TTL_DAYS) : undefined));
    const results = await Promise.allSettled([...pruned, left, this.clones.discard()]);
    for (const result of results) if (result.status === 'rejected') throw result.reason;
  }
}

/** Deletes what has seen no activity for so many days. */
async function prune(folder: string, days: number): Promise<void> {
  const names = (await ifThere(readdir(folder))) ?? [];
  for (const place of names.map((name) => path.join(folder, name))) {
    const { mtimeMs = Date.now() } = (await ifThere(stat(place))) ?? {};
    if (mtimeMs < Date.now() - days * DAY_MS) await rm(place, { recursive: true, force: true });
  }
}
