import { EnumField, ObjectField, TextField, TimeField } from '../platform/fields/fields.js';

/** The parts that lines of an export have in common. */

export const FORMAT = 'taskyard-export';
export const FORMAT_VERSION = 1;

/** In the order in which lines may stand: whatever a line refers to stands before it. */
export type RecordKind = 'project' | 'repository' | 'task' | 'thought' | 'attempt' | 'session' | 'turn' | 'comment';

/** In characters. */
const MAX_SYSTEM = 100;
const MAX_EXTERNAL_ID = 500;

const SystemField = (description: string, options: { optional?: boolean } = {}) =>
  TextField(description, { ...options, nonBlank: true, maxLength: MAX_SYSTEM, example: 'github' });
const ExternalIdField = () =>
  TextField('Its id in that system.', { nonBlank: true, maxLength: MAX_EXTERNAL_ID, example: 'acme/shop#12' });

/** Names the record of an earlier line, or of an earlier import into the same project. */
export class RecordReference {
  @ExternalIdField() external_id!: string;
  @SystemField('System that the id is of. Default: that of the line.', { optional: true }) system?: string;
}

export const ReferenceField = (description: string, options: { optional?: boolean } = {}) =>
  ObjectField(description, () => RecordReference, { ...options, example: { external_id: 'acme/shop#12' } });

export const KindField = (kind: string) => EnumField(`Always ${kind}.`, [kind], { example: kind });

export const GivenTimeField = (what: string) => TimeField(`${what} (RFC 3339).`, { optional: true });

/** A record and where it comes from. Within a project a kind of record has one of each system and external id. */
export class RecordLine {
  @SystemField('System that the record comes from; taskyard for records that a Taskyard server made.') system!: string;
  @ExternalIdField() external_id!: string;
}

/** A record that has times of its own. Without them it is made now. */
export class TimedLine extends RecordLine {
  @GivenTimeField('When it was created. Default: now') created_at?: string;
  @GivenTimeField('When it was last changed. Default: created_at') updated_at?: string;
}
