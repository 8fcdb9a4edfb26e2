import { AppError } from '../../platform/errors/app-error.js';
import { saidBy, type ForgeClient } from '../forge-client.js';
import { type Json, objectOf, textOf } from '../forge-json.js';
import type { MergeOutcome } from '../forge.js';

const PULL_REQUEST = `query ($owner: String!, $name: String!, $number: Int!) {
  repository(owner: $owner, name: $name) { pullRequest(number: $number) { id mergeQueueEntry { state } } }
}`;
const ENQUEUE = `mutation ($id: ID!, $head: GitObjectID!) {
  enqueuePullRequest(input: { pullRequestId: $id, expectedHeadOid: $head }) { mergeQueueEntry { state } }
}`;
const READY = `mutation ($id: ID!) {
  markPullRequestReadyForReview(input: { pullRequestId: $id }) { pullRequest { id } }
}`;
const DRAFT = `mutation ($id: ID!) {
  convertPullRequestToDraft(input: { pullRequestId: $id }) { pullRequest { id } }
}`;

/** What GitHub's REST interface cannot do. */
export class GithubGraph {
  constructor(private readonly client: ForgeClient) {}

  /** @throws AppError forge_failed with the first of GitHub's errors */
  async ask(query: string, variables: object): Promise<Json> {
    const { data, said } = await this.tell(query, variables);
    if (said !== '') throw this.failed(said);
    return data;
  }

  async isQueued(repository: string, number: number): Promise<boolean> {
    return objectOf((await this.pullRequest(repository, number)).mergeQueueEntry).state !== undefined;
  }

  async setDraft(repository: string, number: number, draft: boolean): Promise<void> {
    const { id } = await this.pullRequest(repository, number);
    await this.ask(draft ? DRAFT : READY, { id });
  }

  async enqueue(repository: string, number: number, head: string): Promise<MergeOutcome> {
    const { id } = await this.pullRequest(repository, number);
    const { said } = await this.tell(ENQUEUE, { id, head });
    if (said === '' || /already in the (merge )?queue/i.test(said)) return { outcome: 'queued' };
    if (/merge queue.*not (enabled|required|found)|no merge queue|not.*in a merge queue/i.test(said))
      return { outcome: 'no_queue' };
    return /head|oid/i.test(said) ? { outcome: 'head_moved' } : { outcome: 'refused', reason: said };
  }

  private async pullRequest(repository: string, number: number): Promise<Json> {
    const [owner = '', name = ''] = repository.split('/');
    const data = await this.ask(PULL_REQUEST, { owner, name, number });
    return objectOf(objectOf(data.repository).pullRequest);
  }

  private async tell(query: string, variables: object): Promise<{ data: Json; said: string }> {
    const { body } = await this.client.send(this.url, { method: 'POST', body: { query, variables } });
    const { data, errors } = objectOf(body);
    return { data: objectOf(data), said: Array.isArray(errors) ? saidBy({ errors }) || 'the query failed' : '' };
  }

  /** `https://api.github.com/graphql`; beside `/api/v3` of an Enterprise server it is `/api/graphql`. */
  private get url(): string {
    return `${textOf(this.client.apiUrl).replace(/\/v3$/, '')}/graphql`;
  }

  private failed(reason: string): AppError {
    return new AppError('forge_failed', { host: this.client.host, reason });
  }
}
