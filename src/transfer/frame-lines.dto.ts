import { EnumField, IntField, TextField, TimeField } from '../platform/fields/fields.js';
import { FORMAT, FORMAT_VERSION, KindField } from './line-fields.js';

/** The first line: what follows, and how to read it. */
export class HeaderLine {
  @KindField('header') kind!: 'header';
  @EnumField(`Always ${FORMAT}.`, [FORMAT], { example: FORMAT }) format!: typeof FORMAT;
  @IntField('Version of the format. Integer.', { minimum: FORMAT_VERSION, maximum: FORMAT_VERSION, example: 1 })
  version!: number;
  @TimeField('When it was written (RFC 3339).', { optional: true }) exported_at?: string;
  @TextField('Program that wrote it.', { optional: true, example: 'taskyard 1.0.0' }) exported_by?: string;
}

/** The last line; a file without it is cut off. */
export class EndLine {
  @KindField('end') kind!: 'end';
  @IntField('Lines of records before it, the header not counted. Integer.', { minimum: 0, example: 2041 })
  records!: number;
}
