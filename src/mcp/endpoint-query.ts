import { AppError } from '../platform/errors/app-error.js';
import { EnumField, TextField, UuidField } from '../platform/fields/fields.js';
import { InputParser } from '../platform/fields/input-parser.js';
import { type SchemaProfile, schemaProfiles } from '../platform/fields/schema-profiles.js';
import type { ViewChoice } from './catalogue/toolset-catalogue.js';

/** Query of an MCP endpoint. Nothing is guessed: an empty value is wrong, an unknown key is refused. */
export class EndpointQuery {
  @UuidField('Binds the endpoint to an attempt, UUID.', { optional: true, blankIsAbsent: false }) attempt_id?: string;
  @EnumField('true lists only tools that change nothing.', ['true', 'false'], { optional: true, blankIsAbsent: false })
  readonly?: 'true' | 'false';
  @TextField('How unions are published: portable, oneof or flat.', { optional: true }) schema?: SchemaProfile;
}

export interface EndpointChoice extends ViewChoice {
  attempt_id: string | null;
}

/** Of whoever asks. */
type Caller = Pick<ViewChoice, 'run' | 'scopes'>;
type Asked = Omit<EndpointChoice, keyof Caller>;

const parser = InputParser.of(EndpointQuery);
const nothingAsked: Asked = { profile: 'portable', readonly: false, bound: false, attempt_id: null };

/** In full, as V8 adds what follows a spread property by property.
 *  @throws AppError invalid_argument or schema_profile_unknown, which list what is known */
export function choiceOf(query: object, { run, scopes }: Caller = {}): EndpointChoice {
  const { profile, readonly, bound, attempt_id } = asked(query);
  return { profile, readonly, bound, attempt_id, run, scopes };
}

function asked(query: object): Asked {
  if (Object.keys(query).length === 0) return nothingAsked;
  const { attempt_id = null, readonly, schema = 'portable' } = parser.parse(query);
  if (!schemaProfiles.includes(schema)) throw new AppError('schema_profile_unknown', { schema, known: schemaProfiles });
  return { profile: schema, readonly: readonly === 'true', bound: attempt_id !== null, attempt_id };
}
