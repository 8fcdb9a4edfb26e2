import { forgeKinds } from '../config/forges-file.js';
import { BoolField, EnumField, EnumListField, IntField, ListField, TextField } from '../platform/fields/fields.js';
import { pullRequestMethods } from './forge.js';

export class ForgeOutput {
  @TextField('Host of the forge.', { example: 'github.com' }) host!: string;
  @EnumField('What it is: github, gitlab or gitea.', forgeKinds, { example: 'github' }) kind!: string;
  @EnumListField('Merge methods it offers.', pullRequestMethods, { example: ['squash', 'merge', 'rebase'] })
  merge_methods!: string[];
  @BoolField('True if it can have a merge queue.', { example: true }) has_queue!: boolean;
  @BoolField('True if comments can be marked as resolved.', { example: true }) resolves_comments!: boolean;
  @BoolField('True if its webhooks are accepted at /api/webhooks/{host}.', { example: false }) takes_webhooks!: boolean;
  @IntField('Seconds for which it is not polled because its quota runs out; otherwise 0. Integer.', { example: 0 })
  rests_for_secs!: number;
}

export class ListForgesOutput {
  @ListField('The forges that are configured.', () => ForgeOutput) forges!: ForgeOutput[];
}
