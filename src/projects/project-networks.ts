import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import { Presets } from '../egress/presets.js';
import type { Principal } from '../platform/access/principal.js';
import { withRight } from '../platform/access/rights.js';
import { rightOf } from '../platform/access/scopes.js';
import { refusal } from '../platform/fields/input-errors.js';
import { hostRuleText, parseHostRule } from '../platform/network/host-rule.js';
import type { NetworkSettings, Project } from './project.entity.js';
import { ProjectsRepository } from './projects.repository.js';

const MOST_HOSTS = 500;

/** What a project lets its runs reach; only a maintainer widens or narrows it. */
@Injectable()
export class ProjectNetworks {
  constructor(
    private readonly presets: Presets,
    private readonly projectRows: ProjectsRepository,
  ) {}

  /** The settings after a change, each list once and in one spelling.
   *  @throws AppError invalid_argument, forbidden, insufficient_scope */
  async changed(project: Project, change: Partial<NetworkSettings>, principal: Principal): Promise<NetworkSettings> {
    const { network, allowed_hosts, presets } = project;
    const after = {
      network: change.network ?? network,
      allowed_hosts: change.allowed_hosts ? canonicalRules(change.allowed_hosts) : allowed_hosts,
      presets: change.presets ? this.known(change.presets) : presets,
    };
    if (!isDeepStrictEqual(after, { network, allowed_hosts, presets }))
      await this.projectRows.get(withRight(principal, rightOf({ scope: 'write', role: 'maintainer' })), project.id);
    return after;
  }

  private known(names: readonly string[]): string[] {
    const unknown = names.find((name) => !this.presets.has(name));
    if (unknown !== undefined)
      throw refusal([
        { field: 'presets', message: `there is no preset "${unknown}"; there are ${this.presets.names.join(', ')}` },
      ]);
    return [...new Set(names)];
  }
}

function canonicalRules(texts: readonly string[]): string[] {
  const rules = texts.map((text) => {
    const rule = parseHostRule(text);
    if (rule === null)
      throw refusal([{ field: 'allowed_hosts', message: `"${text}" is not host, *.host or host:port` }]);
    return hostRuleText(rule);
  });
  const found = [...new Set(rules)];
  if (found.length > MOST_HOSTS)
    throw refusal([{ field: 'allowed_hosts', message: `a project may list ${MOST_HOSTS} hosts` }]);
  return found;
}
