import { Injectable } from '@nestjs/common';
import { ForgesService } from '../forges/forges.service.js';
import type { Principal } from '../platform/access/principal.js';
import type { OverrideInput } from './override.dto.js';
import type { PullRequestRow } from './pull-request.entity.js';

/** What is delivered although its checks have not passed says so in the text of its pull request. */
@Injectable()
export class OverrideNotes {
  constructor(private readonly forges: ForgesService) {}

  /** Once, however often it is asked for. @throws AppError forge_failed, forge_rate_limited, forge_auth_failed */
  async add(
    { forge_host, forge_repository, pr_number }: Pick<PullRequestRow, 'forge_host' | 'forge_repository' | 'pr_number'>,
    override: OverrideInput,
    principal: Principal,
  ): Promise<void> {
    const forge = this.forges.get(forge_host);
    const { body } = await forge.read(forge_repository, pr_number, false);
    const note = overrideNote(override, principal);
    if (!body.includes(note)) await forge.update(forge_repository, pr_number, { body: withNote(body, note) });
  }
}

/** Who delivered it, and why. */
export const overrideNote = ({ reason }: OverrideInput, { actor }: Principal): string =>
  `Delivered by ${actor.name} although its checks had not passed: ${reason.trim()}`;

export const withNote = (body: string, note: string): string => [body, note].filter(Boolean).join('\n\n');
