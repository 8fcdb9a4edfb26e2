import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { complete, type Schema } from './complete.js';
import type { ForgeRepository, TestPull } from './forge-repository.js';
import { user } from './github-words.js';
import type { TestForge } from './test-forge.js';

const schemaFile = createRequire(import.meta.url).resolve('@octokit/webhooks-schemas/schema.json');
const webhookSchemas = JSON.parse(readFileSync(schemaFile, 'utf8')) as { definitions: Record<string, Schema> };
const find = (ref: string): Schema => webhookSchemas.definitions[ref.split('/').at(-1)!]!;

/** What a forge says to its webhooks when something happened to a pull request. */
export function webhookBody(forge: TestForge, action: string, repository: ForgeRepository, pull: TestPull): object {
  const { full_name } = repository;
  if (forge.kind === 'gitlab')
    return {
      object_kind: 'merge_request',
      project: { path_with_namespace: full_name },
      object_attributes: { iid: pull.number, action, state: pull.state === 'open' ? 'opened' : pull.state },
    };
  if (forge.kind === 'gitea')
    return { action, number: pull.number, pull_request: { number: pull.number }, repository: { full_name } };
  return githubBody(action, repository, pull);
}

function githubBody(action: string, repository: ForgeRepository, pull: TestPull): object {
  const [owner = '', name = ''] = repository.full_name.split('/');
  const repo = { full_name: repository.full_name, name, owner: user(owner) };
  const isMerged = pull.state === 'merged';
  const closed = isMerged || pull.state === 'closed';
  const pull_request = {
    number: pull.number,
    title: pull.title,
    state: closed ? 'closed' : 'open',
    draft: pull.draft,
    merged: isMerged,
    merged_at: isMerged ? pull.updated_at : null,
    closed_at: closed ? pull.updated_at : null,
    merge_commit_sha: pull.merge_commit,
    head: { ref: pull.head, sha: pull.head_commit, label: `${owner}:${pull.head}`, repo, user: user(owner) },
    base: { ref: pull.base, sha: pull.head_commit, label: `${owner}:${pull.base}`, repo, user: user(owner) },
  };
  const given = { action, number: pull.number, pull_request, repository: repo, sender: user(owner) };
  return complete({ $ref: `#/definitions/pull_request$${action}` }, find, given) as object;
}
